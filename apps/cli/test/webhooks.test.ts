import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@isopod/client'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { openWebhookQueue } from '@isopod/webhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cli, fakeClient, servicesWith } from './support.ts'

let directory: string
let server: RedisServer

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-webhooks-'))
  server = await startRedisServer({ directory })
})

afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

const webhooks = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  cli(['webhooks', ...args], {
    env: { REDIS_URL: server.url, ISOPOD_STATE_DIR: join(directory, 'state'), ...env },
    services: { ...servicesWith(fakeClient().client), openWebhooks: (url) => openWebhookQueue({ url }) },
  })

it('isopod webhooks lists URLs without their queries, and redelivers failed webhooks', async () => {
  expect((await webhooks(['list'])).stderr).toContain('no failed or pending webhooks')
  const client = await connect({ url: server.url })
  const queue = await openWebhookQueue({ url: server.url })
  const callbackUrl = 'https://example.org/hook?token=hunter2'
  const ids: string[] = []
  for (let at = 0; at < 2; at++) {
    const id = await client.submit({ code: '1', callbackUrl, tenant: 'team' })
    await client.cancel(id)
    ids.push(id)
    const claimed = await queue.claim({ tenants: [], targets: [] }, 1000)
    if (typeof claimed !== 'object') throw new Error('nothing to claim')
    await queue.bury(claimed, 'answered 410')
  }
  const [first = '', second = ''] = ids

  const failed = await webhooks(['list', '--failed'])
  expect(failed.stdout.split('\n')).toEqual([
    expect.stringMatching(
      new RegExp(`^${second}  dead .*  team  tries 1  https://example.org/hook  answered 410$`),
    ),
    expect.stringMatching(new RegExp(`^${first}  dead `)),
    '',
  ])
  const [json = ''] = (await webhooks(['list', '--json'])).stdout.split('\n')
  expect(JSON.parse(json)).toMatchObject({
    id: second,
    state: 'dead',
    url: callbackUrl,
    error: 'answered 410',
  })

  expect(await webhooks(['redeliver', first, 'j-none'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/j-none has no failed webhook.*retrying 1 of 2 webhooks/s),
  })
  expect((await webhooks(['list'])).stdout).toMatch(
    new RegExp(`^${second}  dead .*\n${first}  waiting `, 's'),
  )
  expect(await webhooks(['redeliver', '--all'])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('1 of 1'),
  })
  expect((await webhooks(['list', '--failed'])).stderr).toContain('no failed webhooks')
  queue.close()
  await client.close()
})

it('isopod webhooks prints the secret of a tenant, which stays the same until it is rotated', async () => {
  const secret = async () => (await webhooks(['secret', '--tenant', 'team'])).stdout
  const before = await secret()
  expect(before).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/)
  expect(await secret()).toBe(before)
  expect((await webhooks(['secret'])).stdout).not.toBe(before)
  const file = join(directory, 'state', 'webhook-secret')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const kept = await readFile(file, 'utf8')
  expect((await webhooks(['rotate'])).exitCode).toBe(0)
  expect(await secret()).not.toBe(before)
  expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^whsec_.*,${kept.replaceAll('+', '\\+')}$`))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('isopod webhooks prints the new setting when a secret from the environment is rotated', async () => {
  const setting = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const { stdout } = await webhooks(['rotate'], { ISOPOD_GATEWAY_WEBHOOK_SECRET: `${setting},whsec_old` })
  expect(stdout.trim().split(',')[1]).toBe(setting)
})

it.each([
  [['redeliver'], {}, 'ids or --all'],
  [['redeliver', 'j-1', '--all'], {}, 'ids or --all'],
  [['secret', '--tenant', 'a b'], {}, '--tenant'],
])('refuses %j, and names what is wrong', async (args, env, named) => {
  const { exitCode, stderr } = await webhooks(args, env)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(named)
})

it('isopod webhooks names the setting if no secret can be stored', async () => {
  await writeFile(join(directory, 'file'), '')
  const { exitCode, stderr } = await webhooks(['secret'], { ISOPOD_STATE_DIR: join(directory, 'file/state') })
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/ISOPOD_GATEWAY_WEBHOOK_SECRET: is not set, and .*webhook-secret cannot be made/)
})

it('isopod webhooks does not repeat an invalid secret in its error', async () => {
  const { exitCode, stderr } = await webhooks(['secret'], { ISOPOD_GATEWAY_WEBHOOK_SECRET: 'hunter2' })
  expect(exitCode).toBe(3)
  expect(stderr).toContain('ISOPOD_GATEWAY_WEBHOOK_SECRET: must be whsec_')
  expect(stderr).not.toContain('hunter2')
})
