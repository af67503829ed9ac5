import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newWebhookSecret, WebhookSecrets } from '../src/index.ts'
import { signatureHeaders } from '../src/sign.ts'

const body = JSON.stringify({ type: 'execution.finished', data: { stdout: 'grün\n' } })
const now = () => Math.floor(Date.now() / 1000)

function signed(secrets: WebhookSecrets, tenant = 'a', timestamp = now()) {
  return signatureHeaders({ id: 'j-1', timestamp, body }, secrets.keysOf(tenant))
}

describe('a signature', () => {
  it('is accepted by the public verifier of Standard Webhooks', () => {
    const secrets = new WebhookSecrets(newWebhookSecret())
    const verifier = new Verifier(secrets.secretOf('a'))
    expect(verifier.verify(body, signed(secrets))).toEqual(JSON.parse(body))
  })

  it('equals the example of the specification', () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const headers = signatureHeaders(
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' },
      [key],
    )
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it.each([
    ['another body', (verifier: Verifier, headers: Record<string, string>) => verifier.verify('{}', headers)],
    [
      'another id',
      (verifier: Verifier, headers: Record<string, string>) =>
        verifier.verify(body, { ...headers, 'webhook-id': 'j-2' }),
    ],
  ])('does not hold for %s', (_, verify) => {
    const secrets = new WebhookSecrets(newWebhookSecret())
    expect(() => verify(new Verifier(secrets.secretOf('a')), signed(secrets))).toThrow(
      'No matching signature',
    )
  })

  it('of another tenant or of long ago is refused', () => {
    const secrets = new WebhookSecrets(newWebhookSecret())
    const verifier = new Verifier(secrets.secretOf('b'))
    expect(() => verifier.verify(body, signed(secrets, 'a'))).toThrow('No matching signature')
    expect(() => verifier.verify(body, signed(secrets, 'b', now() - 3600))).toThrow('timestamp too old')
  })

  it('is made with the old and the new secret while both are set', () => {
    const [before, after] = [newWebhookSecret(), newWebhookSecret()]
    const headers = signed(new WebhookSecrets(` ${after} , ${before}`))
    for (const text of [before, after]) {
      const verifier = new Verifier(new WebhookSecrets(text).secretOf('a'))
      expect(verifier.verify(body, headers)).toEqual(JSON.parse(body))
    }
    expect(new WebhookSecrets(`${after},${before}`).secretOf('a')).toBe(
      new WebhookSecrets(after).secretOf('a'),
    )
  })
})

describe('a secret', () => {
  it.each(['', ',', 'hunter2hunter2hunter2hunter2', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_####', 'WHSEC_AAAA'])(
    'is refused and not quoted if it is %j',
    (text) => {
      expect(() => new WebhookSecrets(text)).toThrow(/^must be whsec_/)
      if (text.length > 8) expect(() => new WebhookSecrets(text)).not.toThrow(text)
    },
  )

  it('is random', () => {
    expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newWebhookSecret()).not.toBe(newWebhookSecret())
  })
})
