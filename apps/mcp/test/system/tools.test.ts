import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { DRIVER } from '../../../../test/support/runtime.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../../../../test/support/world.ts'
import { type Connected, overOwnHttp, overStdio } from './clients.ts'

const EXAMPLE = {
  language: 'python',
  code: "name = input('Enter your name: ')\nprint(f'Hello, {name}!')",
  stdin: 'Alice',
  timeout: 10,
}

/** An isolation that the tests' worker refuses. */
const NOT_OFFERED = DRIVER === 'process' ? 'container' : 'process'

let world: World
const environment = () => ({ REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix })

beforeAll(async () => {
  // Without a pool every existing container runs a program, so the specs can count them.
  const env = { ISOPOD_POOL_SIZE: '0', SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS: '60', ...WITHOUT_RETRIES }
  world = await startWorld({ env })
})

afterAll(async () => {
  await world?.close()
})

const untilContainers = (isEnough: (count: number) => boolean) =>
  eventually(
    () => world.containers(),
    (ids) => isEnough(ids.length),
  )
const requested = async () => (await world.log()).filter(({ event }) => event === 'requested').length

describe.each([
  ['stdio', () => overStdio(environment())],
  ['streamable HTTP', () => overOwnHttp(environment())],
])('over %s', (_, connect) => {
  let server: Connected

  beforeAll(async () => {
    server = await connect()
    // From now on the SDK's client checks each structured result against the tool's schema.
    await server.client.listTools()
  })

  afterAll(async () => {
    await server?.close()
  })

  const call = (args: Record<string, unknown>, name = 'execute_code') =>
    server.client.callTool({ name, arguments: args })

  // promise: mcp-example
  it.concurrent('runs the usage example of the MCP document', async () => {
    const answer = await call(EXAMPLE)
    expect(answer).toMatchObject({ isError: false, _meta: { 'isopod/status': 'success' } })
    // Python's input() writes its prompt to stdout, which the example in the document leaves out.
    expect(answer.structuredContent).toEqual({
      stdout: 'Enter your name: Hello, Alice!\n',
      stderr: '',
      exit_code: 0,
      execution_time: expect.any(Number),
      status: 'success',
      error_message: null,
    })
    const [first] = answer.content as { type: string; text: string }[]
    expect(JSON.parse(first?.text ?? '')).toEqual(answer.structuredContent)
  })

  // promise: mcp-statuses
  it.concurrent.each([
    [
      'timeout',
      { code: 'print(1, flush=True)\nwhile True: pass', timeout: 5 },
      -1,
      /timed out after 5 seconds/,
    ],
    ['execution_error', { code: 'x = 1/0' }, 1, /exit/],
    ['execution_error', { code: 'import os; os.kill(os.getpid(), 11)' }, 139, /SIGSEGV/],
    ['execution_error', { code: 'a = bytearray(10**9)' }, 137, /memory limit/],
    ['setup_error', { language: 'cobolscript' }, -1, /language: "cobolscript" is not supported; .*python@3/],
    ['setup_error', { timeout: 61 }, -1, /^timeout: must be at most 60 on this deployment, got 61/],
    ['setup_error', { session_id: 'user123_project_alpha' }, -1, /^session_id: sessions are not available/],
    ['setup_error', { isolation: 'vm' }, -1, /^isolation: must be one of process, container, gvisor/],
    [
      'setup_error',
      { isolation: NOT_OFFERED },
      -1,
      /^isolation: "\w+" (isolates less than|is not available)/,
    ],
  ])('reports %s', async (status, args, exitCode, message) => {
    const { structuredContent, isError } = await call({ language: 'python', code: 'print(1)', ...args })
    expect(structuredContent).toMatchObject({ status, error_message: expect.stringMatching(message) })
    if (status !== 'execution_error' || exitCode !== 137) {
      expect(structuredContent).toMatchObject({ exit_code: exitCode })
    }
    expect(isError).toBe(status === 'setup_error')
    if (status === 'timeout') expect(structuredContent).toMatchObject({ stdout: '1\n' })
  })

  it.concurrent('list_languages lists the languages that execute_code accepts', async () => {
    const { structuredContent } = await call({}, 'list_languages')
    expect(structuredContent).toMatchObject({
      languages: expect.arrayContaining([
        expect.objectContaining({ name: 'python', aliases: expect.arrayContaining(['py']), available: true }),
      ]),
    })
  })

  // promise: mcp-grade
  it.concurrent('grade_code returns a verdict for each test case', async () => {
    const code = 'n = int(input())\nif n == 3: raise SystemExit(4)\nprint(n * n if n != 2 else 5)'
    const tests = ['1', '2', '3', '4'].map((stdin) => ({ stdin, expected: String(Number(stdin) ** 2) }))
    const { structuredContent, isError } = await call({ language: 'python', code, tests }, 'grade_code')
    expect(structuredContent).toMatchObject({
      passed: 2,
      total: 4,
      score: 0.5,
      tests: [
        { name: '1', verdict: 'passed', exit_code: 0, message: null },
        { name: '2', verdict: 'wrong_answer', message: expect.stringContaining('expected "4", got "5"') },
        { name: '3', verdict: 'runtime_error', exit_code: 4 },
        { name: '4', verdict: 'passed' },
      ],
    })
    expect(isError).toBe(false)
    const wrong = await call({ language: 'python', code, tests: [{ expected: 3 }] }, 'grade_code')
    expect(wrong).toMatchObject({
      isError: true,
      structuredContent: { status: 'setup_error', error_message: 'tests.0.expected: must be text, got 3' },
    })
  })

  // promise: mcp-progress
  it.concurrent('sends the progress of a job to a caller that asks for it', async () => {
    const received: { progress: number; message?: string | undefined }[] = []
    await server.client.callTool(
      { name: 'execute_code', arguments: { language: 'python', code: 'import time; time.sleep(2.5)' } },
      undefined,
      { onprogress: (progress) => void received.push(progress) },
    )
    expect(received.length).toBeGreaterThanOrEqual(2)
    const steps = received.map(({ progress }) => progress)
    expect(steps).toEqual(steps.toSorted((a, b) => a - b))
    expect(received.at(-1)?.message).toMatch(/^running, \d s$/)
  })

  // promise: mcp-bad-input
  it('a refused call names the wrong argument in a sentence and enqueues nothing', async () => {
    const before = await requested()
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ code: 'x' }, /^language: must be text, got nothing$/],
      [{ language: 'python', code: '' }, /^Code cannot be empty$/],
      [{ language: 'python', code: 7 }, /^code: must be text, got 7$/],
      [{ language: 'python', code: 'x', stdin: null }, /^stdin: must be text, got null$/],
      ...[0, 301, 1.5, '5', null].map((timeout): [Record<string, unknown>, RegExp] => [
        { language: 'python', code: 'x', timeout },
        /^timeout: must be a whole number from 1 to 300, got /,
      ]),
      [{ language: 'python', code: 'x', session_id: '' }, /^session_id: /],
      [{ language: '../python', code: 'x' }, /^language: must be a name or alias/],
      [
        { language: 'python', code: 'x', memory: 5 },
        /^memory: unknown argument; the arguments are language, /,
      ],
      [{ language: 'python', code: 'x'.repeat(2 ** 20 + 1) }, /^code: must be at most 1 MiB/],
    ]
    for (const [args, sentence] of wrong) {
      const { structuredContent, isError } = await call(args)
      expect(structuredContent).toMatchObject({
        status: 'setup_error',
        error_message: expect.stringMatching(sentence),
      })
      expect(isError).toBe(true)
    }
    await expect(call({}, 'no_such_tool')).rejects.toThrow(/the tools are execute_code, list_languages/)
    await call(EXAMPLE)
    expect((await requested()) - before).toBe(1)
  })

  // promise: mcp-cancel
  it('a cancelled call ends its job and its container', async () => {
    await untilContainers((count) => count === 0)
    const controller = new AbortController()
    const calling = server.client.callTool(
      { name: 'execute_code', arguments: { language: 'python', code: 'while True: pass', timeout: 60 } },
      undefined,
      { signal: controller.signal },
    )
    calling.catch(() => {})
    const running = await untilContainers((count) => count > 0)
    expect(running).toHaveLength(1)
    controller.abort('no longer wanted')
    await expect(calling).rejects.toThrow(/no longer wanted/)
    const left = await untilContainers((count) => count === 0)
    expect(left).toEqual([])
    const finished = (await world.log()).filter(({ event }) => event === 'finished')
    expect(finished.at(-1)).toMatchObject({ status: 'cancelled' })
  })
})
