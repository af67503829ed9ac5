import { describe, expect, it } from 'vitest'
import { COMMANDS as TABLE } from '../src/declare/commands.ts'
import { cli, fakeClient, IDLE, resultOf } from './support.ts'

const COMMANDS = Object.keys(TABLE)

describe('isopod', () => {
  it.each(COMMANDS)('explains %s with an example', async (name) => {
    const { exitCode, stdout } = await cli([name, '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Examples:\n  $ ')
  })

  it('lists its commands, and ends with exit code 2 without a command or with an unknown one', async () => {
    const { stdout } = await cli(['--help'])
    for (const name of COMMANDS) expect(stdout).toContain(`\n  ${name} `)
    expect((await cli([])).exitCode).toBe(2)
    expect(await cli(['rnu'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("unknown command 'rnu'"),
    })
  })
})

describe.each(['submit', 'run'])('isopod %s without a live worker', (command) => {
  it.each([
    [0, true],
    [1, false],
  ])('says so on stderr (%i workers)', async (workers, isSaid) => {
    const fake = fakeClient()
    const queue = async () => ({ ...IDLE, workers })
    const client = { ...fake, client: { ...fake.client, queue } }
    const { exitCode, stderr } = await cli([command, '-', '--language', 'python'], { stdin: 'x', client })
    expect([exitCode, stderr.includes('isopod: no worker is running; jobs wait until one starts\n')]).toEqual(
      [0, isSaid],
    )
  })
})

describe('isopod submit', () => {
  it.each(['run', 'submit', 'grade'])('the help of %s says what a language decides', async (name) => {
    const text = (await cli([name, '--help'])).stdout.replaceAll(/\s+/g, ' ')
    expect(text).toMatch(
      /--memory <mb> memory limit in MiB, 16 to 1024 \(default: [^)]*the language’s, else 256\)/,
    )
    expect(text).toMatch(/--timeout <seconds> [^(]*which the factor of slow languages multiplies/)
  })

  it('enqueues all files at once and prints one id per line', async () => {
    const { stdout, calls } = await cli(['submit', '-', '--reply-to', 'grades'], { stdin: 'print(1)' })
    expect(stdout).toBe('j-1\n')
    expect(calls[0]).toEqual({
      method: 'submitMany',
      value: [{ code: 'print(1)', limits: {}, replyTo: 'grades' }],
    })
  })

  it('sets the callback URL of the job, and names --callback-url when the URL is invalid', async () => {
    const submit = (url: string) => cli(['submit', '-', '--callback-url', url], { stdin: 'x' })
    expect((await submit('https://example.org/')).calls[0]).toMatchObject({
      value: [{ callbackUrl: 'https://example.org/' }],
    })
    expect((await submit('ftp://example.org/')).stderr).toContain(
      '--callback-url (callbackUrl): must be an http',
    )
  })

  it('prints one JSON object per line with --json', async () => {
    const { stdout } = await cli(['submit', '-', '--json'], { stdin: 'print(1)' })
    expect(JSON.parse(stdout)).toEqual({ id: 'j-1', file: '-' })
  })

  it('enqueues nothing if one file is not valid', async () => {
    const { exitCode, calls } = await cli(['submit', '-', 'nowhere.py'], { stdin: 'print(1)' })
    expect([exitCode, calls]).toEqual([2, []])
  })

  it('names --reply-to when the queue name is invalid', async () => {
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

  it('prints each waiting result with its output, and ends', async () => {
    const client = withThree()
    const { stdout, exitCode } = await cli(['results'], { client })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('j-2  python@3.13  success · exit code 0 · 0.034 s · peak 8.2 MiB\n  | hi\n')
    expect(stdout.split('\n')).toHaveLength(7)
    expect(client.waiting).toEqual([])
  })

  it('says that no result is waiting in the queue', async () => {
    const { stdout, stderr, exitCode } = await cli(['results', '--reply-to', 'grades'])
    expect([stdout, exitCode]).toEqual(['', 0])
    expect(stderr).toBe('isopod: no result is waiting in the results queue grades\n')
  })

  it('takes at most --count results and leaves the rest in the queue', async () => {
    const client = withThree()
    const { stdout } = await cli(['results', '--count', '2', '--json'], { client })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['j-1', 'j-2'])
    expect(client.waiting.map(({ id }) => id)).toEqual(['j-3'])
  })

  it('reads the queue that --reply-to names', async () => {
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

describe('isopod results without --json', () => {
  it('marks the lines of each stream, escapes control characters and cuts long streams', async () => {
    const client = fakeClient()
    const stdout = `\u001b[2Jone\n${'x\n'.repeat(30)}`
    client.waiting.push(resultOf({ stdout, stderr: 'oh', compileOutput: 'a warning\n' }))
    const lines = (await cli(['results'], { client })).stdout.split('\n')
    expect(lines.slice(1, 3)).toEqual(['  ! a warning', '  | \\x1b[2Jone'])
    expect(lines.slice(-3)).toEqual(['  | … and 11 more lines', '  ! oh', ''])
  })
})

describe('isopod result', () => {
  const withOne = () => {
    const client = fakeClient()
    client.waiting.push(resultOf({ id: 'j-1', status: 'execution_error', exitCode: 3, stderr: 'oh\n' }))
    return client
  }

  it('shows the result like isopod run, with the same exit code', async () => {
    const { exitCode, stdout, stderr } = await cli(['result', 'j-1'], { client: withOne() })
    expect([exitCode, stdout]).toEqual([1, 'hi\n'])
    expect(stderr).toMatch(/^oh\nexecution_error · exit code 3 · /)
  })

  it('prints only the whole result with --json', async () => {
    const { stdout, stderr } = await cli(['result', 'j-1', '--json'], { client: withOne() })
    expect(JSON.parse(stdout)).toMatchObject({ id: 'j-1', exitCode: 3 })
    expect(stderr).toBe('')
  })

  it('explains why a result can be missing, and waits for it with --wait', async () => {
    const none = await cli(['result', 'j-2'], { client: withOne() })
    expect(none).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('use --wait') })
    const waited = await cli(['result', 'j-2', '--wait'], { client: withOne() })
    expect(waited.exitCode).toBe(0)
    expect(waited.calls).toContainEqual({ method: 'wait', value: 'j-2' })
  })

  it('refuses an argument that is not a job id', async () => {
    expect((await cli(['result', 'a:b*'])).exitCode).toBe(2)
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
    const json = await cli(['cancel', 'j-1', '--json'], { client })
    expect(JSON.parse(json.stdout)).toEqual({ id: 'j-1', outcome })
  })

  it('refuses an argument that is not a job id', async () => {
    expect((await cli(['cancel', 'a:b*'])).exitCode).toBe(2)
  })
})

describe('isopod languages', () => {
  it('lists name, version and aliases', async () => {
    expect((await cli(['languages'])).stdout).toMatch(/\npython +3\.13 +py\n$/)
    expect(JSON.parse((await cli(['languages', '--json'])).stdout)).toEqual({
      name: 'python',
      version: '3.13',
      aliases: ['py'],
    })
  })

  it('marks the languages whose image is missing', async () => {
    const client = fakeClient()
    client.client.languages = async () => [
      { name: 'ruby', version: '3.3', aliases: ['rb'], missingImage: 'isopod/ruby:3.3' },
    ]
    const { stdout } = await cli(['languages'], { client })
    expect(stdout).toMatch(/missing image.*\nruby +3\.3 +isopod\/ruby:3\.3 +rb\n$/)
  })

  it('says that no worker has registered a language', async () => {
    const client = fakeClient()
    client.client.languages = async () => undefined
    expect(await cli(['languages'], { client })).toMatchObject({ exitCode: 3, stdout: '' })
  })
})
