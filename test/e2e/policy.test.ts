import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { program } from '../support/programs.ts'
import { startWorld, type World } from '../support/world.ts'

let lenient: World
let strict: World

beforeAll(async () => {
  ;[lenient, strict] = await Promise.all([
    startWorld(),
    startWorld({ env: { ISOPOD_MIN_POLICY: 'enforce:strict' } }),
  ])
})

afterAll(async () => {
  await Promise.all([lenient?.close(), strict?.close()])
})

const OS_SYSTEM = 'import os; os.system("echo ran")'

// promise: policy-warn
describe.concurrent('a policy that warns', () => {
  it('runs a program that violates its rules, and the result has a warning', async () => {
    const result = await lenient.client.run({ code: OS_SYSTEM })
    expect(result).toMatchObject({
      status: 'success',
      stdout: 'ran\n',
      policy: { mode: 'warn', rules: 'standard', checked: true },
      warnings: ['policy: main.py:1: Blocked function: os.system (not enforced)'],
    })
  })

  it('gives no warning about a program that follows the rules', async () => {
    const code = 'import re\n# os.system("x")\nprint(re.compile("a").match("abc").group(), "eval(x)")'
    expect(await lenient.client.run({ code })).toMatchObject({ status: 'success', warnings: [] })
  })

  it('is not applied to a job that turns it off', async () => {
    const result = await lenient.client.run({ code: OS_SYSTEM, policy: { mode: 'off' } })
    expect(result).toMatchObject({
      status: 'success',
      warnings: [],
      policy: { mode: 'off', checked: false },
    })
  })
})

// promise: policy-enforce
describe.concurrent('a policy that enforces', () => {
  const policy = { mode: 'enforce', rules: 'strict' } as const

  it('refuses with the sentences of the API document, and makes no container', async () => {
    const result = await lenient.client.run({ code: OS_SYSTEM, policy })
    expect(result).toMatchObject({
      status: 'validation_error',
      attributable: true,
      validationErrors: ['Blocked import: os', 'Blocked function: os.system'],
      errorMessage: 'Blocked import: os; Blocked function: os.system',
      policy: { ...policy, checked: true },
      exitCode: null,
      stdout: '',
      limitsApplied: null,
      imageDigest: null,
    })
    const audit = (await lenient.log()).filter(
      (entry) => entry['audit'] === true && entry['job'] === result.id,
    )
    expect(audit.map(({ event }) => event)).toEqual(['requested', 'policy_decided', 'refused', 'finished'])
    expect(audit[1]).toMatchObject({ policy, refused: true, rules: ['python/import-os', 'python/os-system'] })
    expect(audit[3]).toMatchObject({ status: 'validation_error', containerId: null })
  })

  it.each<[string, JobInput]>([
    ['python', program('alias-eval.py')],
    ['javascript', program('alias-eval.js')],
    ['typescript', { ...program('alias-eval.js'), language: 'typescript' }],
    ['bash', program('alias-eval.sh')],
    [
      'a file of the job',
      { code: 'import helper', files: { 'helper.py': { content: program('alias-eval.py').code } } },
    ],
  ])('finds a function under another name: %s', async (_, job) => {
    const result = await lenient.client.run({ ...job, policy })
    expect(result.status).toBe('validation_error')
    expect(result.validationErrors.join()).toMatch(/Blocked (function|command): eval/)
  })

  it('applies to scripts, checkers and interactors, too', async () => {
    const code = 'import os\nos.system("true")'
    const checker = { type: 'program', language: 'python', code } as const
    const interactor = { language: 'python', code }
    for (const test of [{ checker }, { interactor }, { script: code }]) {
      const result = await lenient.client.run({ code: 'print(1)', tests: [test], policy })
      expect(result.status, Object.keys(test).join()).toBe('validation_error')
    }
  })

  it('counts refusals by rule in the metrics', { concurrent: false }, async () => {
    const metrics = await fetch(`${lenient.workers[0]?.url}/metrics`).then((response) => response.text())
    expect(metrics).toMatch(
      /isopod_policy_rejections_total\{language="python",rule="python\/os-system"\} [1-9]/,
    )
  })
})

// promise: policy-minimum
describe.concurrent('the minimum policy of a deployment', () => {
  it.each([{ mode: 'off' }, { mode: 'warn' }, { mode: 'enforce', rules: 'standard' }] as const)(
    'holds for a job that asks for %j',
    async (policy) => {
      const result = await strict.client.run({ code: 'import os; print("ran")', policy })
      expect(result).toMatchObject({
        status: 'validation_error',
        validationErrors: ['Blocked import: os'],
        policy: { mode: 'enforce', rules: 'strict' },
      })
    },
  )

  it('lets programs run that follow the rules', async () => {
    const result = await strict.client.run({ code: 'print(input_data["n"] * 2)', inputData: { n: 21 } })
    expect(result).toMatchObject({ status: 'success', stdout: '42\n', warnings: [] })
  })
})

// promise: policy-honest
describe.concurrent('a source that could not be checked', () => {
  it('runs with a warning if the language has no rules', async () => {
    const code = '#include <stdio.h>\nint main() { puts("ran"); }'
    expect(await strict.client.run({ language: 'c', code })).toMatchObject({
      status: 'success',
      stdout: 'ran\n',
      policy: { checked: false },
      warnings: ['policy: no rules for c; the source was not checked'],
    })
  })

  it('is refused if the deployment enforces its policy, and the result names the file and the reason', async () => {
    const large = `import os\nos.system("echo ran")\n${'# filler\n'.repeat(250_000)}`
    const deep = `x = ${'['.repeat(200_000)}`
    for (const [files, problem] of [
      [
        { 'helper.py': large },
        /^Unchecked source: helper\.py was not checked: a job may have 2097152 characters of source/,
      ],
      [{ 'helper.so': 'x' }, /^Unchecked source: helper\.so was not checked: compiled code/],
      [{ 'helper.py': deep }, /^Unchecked source: helper\.py /],
      [{ 'helper.py': 'def f(:' }, /^Unchecked source: helper\.py could not be parsed as a whole/],
    ] as const) {
      const laid = Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { content }]))
      const result = await strict.client.run({ code: 'import helper', files: laid, policy: { mode: 'off' } })
      expect(result).toMatchObject({
        status: 'validation_error',
        attributable: true,
        stdout: '',
        imageDigest: null,
      })
      expect(result.validationErrors.join('; ')).toMatch(problem)
      expect(result.policy).toMatchObject({ mode: 'enforce', checked: false })
    }
    const other = { 'data.txt': { content: 'require("child_process").execSync("echo ran")' } }
    const code = 'require("./data.txt")'
    const loaded = await strict.client.run({ language: 'javascript', code, files: other })
    expect(loaded.validationErrors).toEqual(['Blocked import: file that is not source by its name'])
  })

  it('runs with a warning if no policy is enforced', async () => {
    const large = { content: `print("ran")\n${'# filler\n'.repeat(250_000)}` }
    const result = await lenient.client.run({ code: 'import helper', files: { 'helper.py': large } })
    expect(result).toMatchObject({ status: 'success', stdout: 'ran\n', policy: { checked: false } })
    expect(result.warnings[0]).toMatch(/^policy: helper\.py was not checked: a job may have/)
  })

  it('runs with a warning if it cannot be parsed and no policy is enforced', async () => {
    const result = await lenient.client.run({ code: 'print("a"' })
    expect(result).toMatchObject({
      status: 'execution_error',
      policy: { checked: false },
      warnings: ['policy: main.py could not be parsed as a whole; what could be was checked'],
    })
    expect(result.stderr).toContain('SyntaxError')
  })

  it('delays no other job while its check times out', { concurrent: false }, async () => {
    const hard = lenient.client.run({ code: `${'x = [\n'.repeat(150_000)}`, limits: { timeoutSeconds: 5 } })
    const easy = await lenient.client.run({ code: OS_SYSTEM, policy: { mode: 'enforce' } })
    expect(easy.validationErrors).toEqual(['Blocked function: os.system'])
    expect((await hard).policy?.checked).toBe(false)
  })
})
