import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DROP_INS } from '../../apps/gateway/src/config.ts'
import { makeZip } from '../../apps/gateway/test/drop-in/make-zip.ts'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0 })
  ;[gateway] = await Promise.all([
    startTestGateway(world, { ISOPOD_GATEWAY_DROP_INS: DROP_INS.join(', ') }),
    world.addWorker(),
  ])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: specs say what they expect of each answer.
  readonly body: any
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

it('a method that a path does not have is refused in the form of its service', async () => {
  expect(await ask('PUT', '/submissions')).toEqual({ status: 405, body: { error: expect.any(String) } })
  expect(await ask('GET', '/api/v2/execute')).toEqual({ status: 405, body: { message: expect.any(String) } })
  expect(await ask('GET', '/run_code')).toEqual({ status: 405, body: { detail: expect.any(String) } })
  const options = await fetch(`${gateway.url}/run_code`, { method: 'OPTIONS' })
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
})

const GREETING = `#include <stdio.h>
int main(void) { char name[10]; if (scanf("%9s", name) == 1) printf("hello, %s\\n", name); return 0; }`

// promise: drop-in-judge0
describe.concurrent('Judge0', () => {
  it('a submission is created, and its result is read by its token', async () => {
    const submission = { source_code: GREETING, language_id: 4, stdin: 'world' }
    const created = await ask('POST', '/submissions', submission)
    expect(created).toEqual({ status: 201, body: { token: expect.any(String) } })
    const { token } = created.body
    const fields = 'stdout,stderr,status_id,language_id'
    const finished = await eventually(
      () => ask('GET', `/submissions/${token}?fields=${fields}`),
      ({ body }) => body.status_id > 2,
    )
    expect(finished).toEqual({
      status: 200,
      body: { stdout: 'hello, world\n', stderr: null, status_id: 3, language_id: 4 },
    })
    expect((await ask('GET', `/submissions/${token}?base64_encoded=true`)).body).toMatchObject({
      ...{ token, stdout: 'aGVsbG8sIHdvcmxkCg==\n' },
    })
  })

  it('wait=true answers with the result', async () => {
    const submission = {
      source_code: GREETING,
      language_id: '50',
      stdin: 'Judge0',
      expected_output: 'hello, Judge0',
    }
    expect(await ask('POST', '/submissions?wait=true', submission)).toEqual({
      status: 201,
      body: {
        stdout: 'hello, Judge0\n',
        time: expect.stringMatching(/^\d+\.\d{3}$/),
        memory: expect.any(Number),
        stderr: null,
        token: expect.any(String),
        compile_output: null,
        message: null,
        status: { id: 3, description: 'Accepted' },
      },
    })
  })

  it.each([
    ['Wrong Answer', { language_id: 46, source_code: 'echo 1', expected_output: '2' }],
    ['Time Limit Exceeded', { language_id: 46, source_code: 'while :; do :; done', cpu_time_limit: 0.5 }],
    ['Compilation Error', { language_id: 50, source_code: 'int main(' }],
    ['Runtime Error (SIGSEGV)', { language_id: 46, source_code: 'kill -SEGV $$' }],
    ['Runtime Error (NZEC)', { language_id: 46, source_code: 'exit 3' }],
    ['Runtime Error (Other)', { language_id: 46, source_code: 'yes', max_file_size: 1 }],
  ])('reports %s', async (description, submission) => {
    const { body } = await ask('POST', '/submissions?wait=true', submission)
    expect(body.status.description).toBe(description)
  })

  it('a wrong answer does not reveal the expected output, even if the path ends in a slash', async () => {
    const submission = { language_id: 46, source_code: 'echo 1', expected_output: 'secret' }
    const { status, body } = await ask('POST', '/submissions/?base64_encoded=false&wait=true', submission)
    expect(status).toBe(201)
    expect(body).toMatchObject({ message: null, status: { id: 4 } })
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  it('arguments reach the program unchanged, and no shell interprets them', async () => {
    const submission = {
      language_id: 71,
      source_code: 'import sys; print(sys.argv[1:])',
      command_line_arguments: '"a b" $(id) *',
    }
    expect((await ask('POST', '/submissions?wait=true', submission)).body.stdout).toBe(
      "['a b', '(id)', '*']\n",
    )
  })

  it('additional files lie beside the program', async () => {
    const archive = makeZip([{ path: 'data/a.txt', bytes: 'from the archive' }]).toString('base64')
    const submission = { language_id: 46, source_code: 'cat data/a.txt', additional_files: archive }
    const { body } = await ask('POST', '/submissions?wait=true', submission)
    expect(body.stdout).toBe('from the archive')
  })

  it('output that is not UTF-8 needs base64', async () => {
    const bytes = base64("printf '\\376\\n'")
    const submission = { language_id: 46, source_code: bytes }
    const whole = await ask('POST', '/submissions?wait=true&base64_encoded=true', submission)
    expect(whole.body.stdout).toBe('/go=\n')
    const plain = { language_id: 46, source_code: "printf '\\376\\n'" }
    expect(await ask('POST', '/submissions?wait=true', plain)).toEqual({
      status: 201,
      body: { token: expect.any(String), error: expect.stringContaining('base64_encoded=true') },
    })
  })

  it('a batch has a token or errors for each submission', async () => {
    const { status, body } = await ask('POST', '/submissions/batch', {
      submissions: [
        { language_id: 46, source_code: 'echo hello from Bash' },
        { language_id: 123_456_789, source_code: 'print("hello from Python")' },
        { language_id: 72, source_code: '' },
      ],
    })
    expect(status).toBe(201)
    expect(body).toEqual([
      { token: expect.any(String) },
      { language_id: ["language with id 123456789 doesn't exist"] },
      { source_code: ["can't be blank"] },
    ])
    const path = `/submissions/batch?tokens=${body[0].token},j-none&fields=stdout,status_id`
    const finished = await eventually(
      () => ask('GET', path),
      (answer) => answer.body.submissions[0].status_id > 2,
    )
    expect(finished.body).toEqual({
      submissions: [{ stdout: 'hello from Bash\n', status_id: 3 }, null],
    })
  })

  it('lists languages and statuses', async () => {
    expect((await ask('GET', '/languages')).body).toContainEqual({ id: 71, name: 'Python (3.13)' })
    expect((await ask('GET', '/languages/4')).body).toMatchObject({ id: 4, is_archived: true })
    expect((await ask('GET', '/languages/x')).status).toBe(404)
    expect((await ask('GET', '/statuses')).body[2]).toEqual({ id: 3, description: 'Accepted' })
    expect((await ask('GET', '/about')).body).toMatchObject({ version: expect.any(String) })
    expect((await ask('GET', '/config_info')).body).toMatchObject({
      ...{ enable_wait_result: true, enable_callbacks: false, max_cpu_time_limit: 15, number_of_runs: 1 },
      allowed_languages_for_compile_options: expect.arrayContaining(['C++']),
    })
  })
})

// promise: drop-in-piston
describe.concurrent('Piston', () => {
  it('executes by alias and version selector', async () => {
    const request = {
      language: 'js',
      version: '24.x',
      files: [{ name: 'my_cool_code.js', content: 'console.log(process.argv.slice(2))' }],
      stdin: '',
      args: ['1', '2', '3'],
      ...{ compile_timeout: 10_000, run_timeout: 3000 },
      ...{ compile_memory_limit: -1, run_memory_limit: -1 },
    }
    const expected = "[ '1', '2', '3' ]\n"
    expect(await ask('POST', '/api/v2/execute', request)).toMatchObject({
      status: 200,
      body: {
        run: { stdout: expected, stderr: '', code: 0, signal: null, output: expected, status: null },
        language: 'javascript',
        version: '24.0.0',
      },
    })
  })

  it('reports compilation, limits and additional files', async () => {
    const execute = (body: object) => ask('POST', '/api/v2/piston/execute', { version: '*', ...body })
    const broken = await execute({ language: 'c', files: [{ content: 'int main(' }] })
    expect(broken.body).toMatchObject({ compile: { code: 1, stderr: expect.stringContaining('error') } })
    const late = await execute({
      language: 'bash',
      files: [{ content: 'sleep 9' }],
      run_timeout: 300,
      compile_timeout: 1,
    })
    expect(late.body.run).toMatchObject({ code: null, signal: 'SIGKILL', status: 'TO' })
    const files = [{ content: 'cat a.txt' }, { name: 'a.txt', content: base64('hi'), encoding: 'base64' }]
    expect((await execute({ language: 'sh', files })).body.run.stdout).toBe('hi')
  })

  it('lists runtimes and packages, which cannot be changed', async () => {
    expect((await ask('GET', '/api/v2/runtimes')).body).toContainEqual(
      expect.objectContaining({ language: 'javascript', version: '24.0.0', runtime: 'node' }),
    )
    expect((await ask('GET', '/api/v2/packages')).body).toContainEqual(
      expect.objectContaining({ language: 'bash', installed: true }),
    )
    const install = await ask('POST', '/api/v2/packages', { language: 'bash', version: '5.x' })
    expect(install).toEqual({ status: 405, body: { message: expect.stringContaining('allowed: GET,') } })
  })

  it('refuses an invalid request with a message', async () => {
    const files = [{ content: 'echo' }]
    for (const [body, message] of [
      [{ version: '*', files }, 'language is required as a string'],
      [{ language: 'bash', version: '1.x', files }, 'bash-1.x runtime is unknown'],
      [{ language: 'bash', version: '*'.repeat(65), files }, expect.any(String)],
      [
        { language: 'bash', version: '*', files: [{ content: 7 }] },
        'files[0].content is required as a string',
      ],
      ['[', expect.any(String)],
    ] as const) {
      expect(await ask('POST', '/api/v2/execute', body)).toEqual({ status: 400, body: { message } })
    }
    expect(await ask('POST', '/api/v2/execute', '{}', { 'content-type': 'text/plain' })).toEqual({
      ...{ status: 415, body: { message: 'requests must be of type application/json' } },
    })
  })
})

// promise: drop-in-sandboxfusion
describe.concurrent('SandboxFusion', () => {
  const run = (body: object) => ask('POST', '/run_code', body)

  it('runs code', async () => {
    expect(await run({ code: 'print("hello")', language: 'python' })).toEqual({
      status: 200,
      body: {
        status: 'Success',
        message: '',
        compile_result: null,
        run_result: {
          status: 'Finished',
          execution_time: expect.any(Number),
          return_code: 0,
          stdout: 'hello\n',
          stderr: '',
        },
        executor_pod_name: expect.any(String),
        files: {},
      },
    })
  })

  it('reports compilation, limits, exit codes and files', async () => {
    const broken = await run({ code: 'int main(', language: 'cpp' })
    expect(broken.body).toMatchObject({
      status: 'Failed',
      compile_result: { status: 'Finished', return_code: 1 },
      run_result: null,
    })
    const late = await run({ code: 'echo before; sleep 9', language: 'bash', run_timeout: 3 })
    expect(late.body).toMatchObject({
      status: 'Failed',
      run_result: { status: 'TimeLimitExceeded', return_code: null, stdout: 'before\n' },
    })
    const failing = await run({ code: 'cat a/b; exit 3', language: 'bash', files: { 'a/b': base64('hi') } })
    expect(failing.body).toMatchObject({ status: 'Failed', run_result: { return_code: 3, stdout: 'hi' } })
  })

  it('returns files that the program leaves', async () => {
    const code = 'open("out/plot.png", "wb").write(b"\\x89PNG"); raise SystemExit(1)'
    const { body } = await run({
      ...{ code, language: 'python', files: { 'out/in.txt': base64('hi') } },
      fetch_files: ['out/plot.png', 'out/in.txt', 'nowhere.txt'],
    })
    expect(body).toMatchObject({ status: 'Failed', run_result: { return_code: 1 } })
    expect(body.files).toEqual({ 'out/plot.png': 'iVBORw==', 'out/in.txt': base64('hi') })
  })

  it('keeps output of more than 200 KB', async () => {
    const { body } = await run({ code: 'head -c 300000 /dev/zero | tr "\\0" x', language: 'bash' })
    expect(body.run_result.stdout).toHaveLength(300_000)
  })

  it('refuses an invalid request and names the field', async () => {
    for (const [body, field] of [
      [{ code: 'x', language: 'python', fetch_files: ['/etc/passwd'] }, 'fetch_files'],
      [{ code: 'x', language: 'julia' }, 'language'],
      [{ language: 'python' }, 'code'],
    ] as const) {
      expect(await run(body)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', field], msg: expect.any(String) }] },
      })
    }
    expect(await ask('POST', '/run_code', '{"code":')).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'json_invalid' }] },
    })
  })
})

// promise: drop-in-judge0
it('an invalid submission is refused in Judge0’s own form, and nothing is enqueued', async () => {
  const before = (await ask('GET', '/v1/executions?limit=1')).body.executions
  const bash = { language_id: 46, source_code: 'echo' }
  for (const [path, body, status, answer] of [
    ['/submissions', { source_code: 'x' }, 422, { language_id: ["can't be blank"] }],
    ['/submissions', { ...bash, callback_url: 'http://x' }, 422, { callback_url: [expect.any(String)] }],
    ['/submissions?fields=nope', bash, 400, { error: 'invalid fields: [nope]' }],
    ['/submissions', '{', 400, { error: expect.any(String) }],
    ['/submissions', [], 422, { submission: ['must be an object'] }],
    ['/submissions?wait=true&wait=false', bash, 400, { error: expect.any(String) }],
    ['/submissions/batch', {}, 400, { error: 'there should be at least one submission in a batch' }],
    ['/submissions/batch', { submissions: Array(21).fill(bash) }, 400, { error: expect.any(String) }],
    ['/submissions/batch', { submissions: [null] }, 422, [{ submission: ['must be an object'] }]],
  ] as const) {
    expect(await ask('POST', path, body), path).toEqual({ status, body: answer })
  }
  expect((await ask('GET', '/submissions/none')).status).toBe(404)
  expect(await ask('DELETE', '/submissions/none')).toEqual({
    status: 400,
    body: { error: 'delete not allowed' },
  })
  expect((await ask('GET', '/v1/executions?limit=1')).body.executions).toEqual(before)
})

it('the OpenAPI document has the endpoints that are enabled', async () => {
  const { body } = await ask('GET', '/openapi.json')
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining(['/submissions', '/submissions/batch', '/api/v2/execute', '/run_code']),
  )
  const { schema } = body.paths['/run_code'].post.requestBody.content['application/json']
  expect(schema).toMatchObject({ required: ['code', 'language'] })
})

// promise: drop-ins-guarded
describe('with keys', () => {
  it('each drop-in API refuses in its own form, and a tenant sees only its own submissions', async () => {
    const make = async (tenant: string) => {
      const { token } = await gateway.access.keys.create({ name: tenant, tenant, scopes: ['submit', 'read'] })
      return { 'x-auth-token': token }
    }
    const [mine, other] = [await make('a'), await make('b')]
    await gateway.asksForKeys()
    const bash = { language_id: 46, source_code: 'echo secret' }
    for (const [path, form] of [
      ['/submissions', { error: expect.any(String) }],
      ['/api/v2/execute', { message: expect.any(String) }],
      ['/run_code', { detail: expect.any(String) }],
    ] as const) {
      expect(await ask('POST', path, bash)).toEqual({ status: 401, body: form })
      const wrong = { authorization: 'nonsense' }
      expect(await ask('POST', path, bash, wrong)).toEqual({ status: 401, body: form })
    }
    const { body } = await ask('POST', '/submissions?wait=true', bash, mine)
    expect(body).toMatchObject({ stdout: 'secret\n' })
    expect((await ask('GET', `/submissions/${body.token}`, undefined, mine)).status).toBe(200)
    expect((await ask('GET', `/submissions/${body.token}`, undefined, other)).status).toBe(404)
    const batch = await ask('GET', `/submissions/batch?tokens=${body.token}`, undefined, other)
    expect(batch.body).toEqual({ submissions: [null] })
  })

  it('the gateway serves no drop-in API by default, and refuses to start with an unknown one', async () => {
    const queue = { redisUrl: world.redisUrl, prefix: `${world.prefix}-none` }
    const plain = await startTestGateway(queue)
    try {
      for (const path of ['/languages', '/api/v2/runtimes', '/statuses']) {
        expect((await fetch(`${plain.url}${path}`)).status).toBe(404)
      }
    } finally {
      await plain.close()
    }
    await expect(startTestGateway(queue, { ISOPOD_GATEWAY_DROP_INS: 'judge1' })).rejects.toThrow(
      `ISOPOD_GATEWAY_DROP_INS: must be a list of ${DROP_INS.join(', ')}`,
    )
  })
})
