import { describe, expect, it } from 'vitest'
import { cli, fakeClient, resultOf } from './support.ts'

const COMMANDS = ['run', 'submit', 'results', 'cancel', 'languages', 'mcp', 'demo', 'up', 'down', 'doctor']

describe('isopod', () => {
  it.each(COMMANDS)('explains %s with an example', async (name) => {
    const { exitCode, stdout } = await cli([name, '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Examples:\n  $ ')
  })

  it('lists its commands, and answers none or an unknown one with exit code 2', async () => {
    const { stdout } = await cli(['--help'])
    for (const name of COMMANDS) expect(stdout).toContain(`\n  ${name} `)
    expect((await cli([])).exitCode).toBe(2)
    expect(await cli(['rnu'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("unknown command 'rnu'"),
    })
  })
})

describe('isopod submit', () => {
  it('enqueues all files at once and prints an id a line', async () => {
    const { stdout, calls } = await cli(['submit', '-', '--reply-to', 'grades'], { stdin: 'print(1)' })
    expect(stdout).toBe('j-1\n')
    expect(calls[0]).toEqual({
      method: 'submitMany',
      value: [{ code: 'print(1)', limits: {}, replyTo: 'grades' }],
    })
  })

  it('names the URL that takes the result', async () => {
    const submit = (url: string) => cli(['submit', '-', '--callback-url', url], { stdin: 'x' })
    expect((await submit('https://example.org/')).calls[0]).toMatchObject({
      value: [{ callbackUrl: 'https://example.org/' }],
    })
    expect((await submit('ftp://example.org/')).stderr).toContain(
      '--callback-url (callbackUrl): must be an http',
    )
  })

  it('prints with --json an object a line', async () => {
    const { stdout } = await cli(['submit', '-', '--json'], { stdin: 'print(1)' })
    expect(JSON.parse(stdout)).toEqual({ id: 'j-1', file: '-' })
  })

  it('enqueues nothing if one file is not valid', async () => {
    const { exitCode, calls } = await cli(['submit', '-', 'nowhere.py'], { stdin: 'print(1)' })
    expect([exitCode, calls]).toEqual([2, []])
  })

  it('names the option of a bad queue name', async () => {
    const { stderr } = await cli(['submit', '-', '--reply-to', '../x'], { stdin: 'x' })
    expect(stderr).toContain('--reply-to (replyTo): must be 1 to 64 characters')
  })
})

describe('isopod results', () => {
  const withThree = () => {
    const client = fakeClient()
    for (const id of ['j-1', 'j-2', 'j-3']) client.waiting.push(resultOf({ id }))
    return client
  }

  it('prints what is there, a short line each, and ends', async () => {
    const client = withThree()
    const { stdout, exitCode } = await cli(['results'], { client })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('j-2  python@3.13  success · exit code 0')
    expect(stdout.split('\n')).toHaveLength(4)
    expect(client.waiting).toEqual([])
  })

  it('takes no more than --count asks for; the rest stays in the queue', async () => {
    const client = withThree()
    const { stdout } = await cli(['results', '--count', '2', '--json'], { client })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['j-1', 'j-2'])
    expect(client.waiting.map(({ id }) => id)).toEqual(['j-3'])
  })

  it('asks for the queue that was named', async () => {
    const client = withThree()
    const { calls } = await cli(['results', '--count', '1', '--reply-to', 'grades'], { client })
    expect(calls[0]).toEqual({ method: 'results', value: { concurrency: 1, replyTo: 'grades' } })
  })

  it.each(['0', '-1', '1.5', 'x', ''])('refuses --count %j', async (count) => {
    expect(await cli(['results', '--count', count])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--count'),
    })
  })
})

describe('isopod cancel', () => {
  it.each([
    ['cancelled', 0],
    ['requested', 0],
    ['finished', 1],
    ['unknown', 1],
  ] as const)('answers %s with exit code %i', async (outcome, exitCode) => {
    const client = fakeClient()
    client.client.cancel = async () => outcome
    expect((await cli(['cancel', 'j-1'], { client })).exitCode).toBe(exitCode)
  })

  it('refuses what is no id', async () => {
    expect((await cli(['cancel', 'a:b*'])).exitCode).toBe(2)
  })
})

describe('isopod languages', () => {
  it('lists name, version and aliases', async () => {
    expect((await cli(['languages'])).stdout).toMatch(/^python +3\.13 +py\n$/)
    expect(JSON.parse((await cli(['languages', '--json'])).stdout)).toEqual({
      name: 'python',
      version: '3.13',
      aliases: ['py'],
    })
  })

  it('says which have no image', async () => {
    const client = fakeClient()
    client.client.languages = async () => [
      { name: 'ruby', version: '3.3', aliases: ['rb'], missingImage: 'isopod/ruby:3.3' },
    ]
    const { stdout } = await cli(['languages'], { client })
    expect(stdout).toMatch(/^ruby +3\.3 +rb {2}\(image isopod\/ruby:3\.3 is not there\)\n$/)
  })

  it('says so when no worker has registered any', async () => {
    const client = fakeClient()
    client.client.languages = async () => undefined
    expect(await cli(['languages'], { client })).toMatchObject({ exitCode: 3, stdout: '' })
  })
})
