import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ISOPOD_POOL_SIZE: '1' } })
})
afterAll(() => world.close())

/** Texts that a shell would split, expand or run. */
const ARGS = ['a b', '', '$(id)', '*', '"q"', "it's", 'new\nline', 'é😀', '{filename}', '-c']
const ENV = { GREETING: 'a b\n$(id) é', EMPTY: '', LANG: 'C' }

const PROGRAMS: Record<string, string> = {
  python:
    'import json, os, sys\nprint(json.dumps([sys.argv[1:], {n: os.environ.get(n) for n in ("GREETING", "EMPTY", "LANG")}]))',
  javascript:
    'const { GREETING, EMPTY, LANG } = process.env; console.log(JSON.stringify([process.argv.slice(2), { GREETING, EMPTY, LANG }]))',
}

// promise: invocation
it.each(Object.keys(PROGRAMS))('a program in %s gets arguments and variables unchanged', async (language) => {
  const job: JobInput = { language, code: PROGRAMS[language] ?? '', args: ARGS, env: ENV }
  const result = await world.client.run(job)
  expect(result).toMatchObject({ status: 'success', stderr: '' })
  expect(JSON.parse(result.stdout)).toEqual([ARGS, ENV])
})

// promise: invocation
it('a program that runs more than once gets arguments and variables each time', async () => {
  const code = 'printf "%s|" "$#" "$@" "$GREETING"; env | grep -c ^EMPTY=$'
  const job: JobInput = { language: 'bash', code, args: ARGS, env: ENV, repeat: 2 }
  const result = await world.client.run(job)
  expect(result).toMatchObject({
    status: 'success',
    stdout: `${[ARGS.length, ...ARGS, ENV.GREETING].join('|')}|1\n`,
  })
  expect(result.flaky).toBeUndefined()
})

// promise: invocation
it('a compiler gets only its own arguments; the program gets the other arguments and the variables', async () => {
  const code = [
    '#include <stdio.h>\n#include <stdlib.h>',
    'int main(int count, char **words) { printf("%d %s %s\\n", ANSWER, words[count - 1], getenv("CPATH")); }',
  ].join('\n')
  const job: JobInput = { language: 'c', code, compileArgs: ['-DANSWER=42', '-Wall'], args: ['last'] }
  // If gcc got this variable, it would search the folder for headers, and -v would print its name.
  const env = { CPATH: '/tmp/elsewhere' }
  const verbose = [...(job.compileArgs ?? []), '-v']
  const result = await world.client.run({ ...job, env, compileArgs: verbose })
  expect(result).toMatchObject({ status: 'success', stdout: '42 last /tmp/elsewhere\n' })
  expect(result.compileOutput).toContain('ANSWER=42')
  expect(result.compileOutput).not.toContain('/tmp/elsewhere')
  expect(await world.client.run({ ...job, compileArgs: [] })).toMatchObject({ status: 'compile_error' })
  expect(await world.client.run({ ...job, compileArgs: ['-no-such-option'] })).toMatchObject({
    status: 'compile_error',
  })
})

// promise: invocation
it('arguments of a test replace those of the job, and variables hold for all tests', async () => {
  const result = await world.client.run({
    language: 'bash',
    code: 'echo "$MINE: $*"',
    args: ['of', 'the job'],
    env: { MINE: 'x' },
    tests: [
      { expected: 'x: of the job' },
      { args: ['own'], expected: 'x: own' },
      { args: [], expected: 'x: ' },
    ],
  })
  expect(result.tests?.map(({ verdict, diff }) => [verdict, diff])).toEqual(Array(3).fill(['passed', null]))
  const scripted = await world.client.run({
    language: 'python',
    code: 'import os, sys\ndef seen(): return [*sys.argv[1:], os.environ["MINE"]]',
    args: ['a'],
    env: { MINE: 'x' },
    tests: [{ script: 'assert seen() == ["a", "x"]' }],
  })
  expect(scripted.summary).toMatchObject({ passed: 1, total: 1 })
})

// promise: invocation
it('a job with arguments or variables gets no preloaded interpreter', async () => {
  const plain: JobInput = { language: 'python', code: PROGRAMS['python'] ?? '', preload: true }
  expect(await world.client.run(plain)).toMatchObject({ preloaded: true })
  const own = await world.client.run({ ...plain, args: ['a'], env: { GREETING: 'g' } })
  expect(own).toMatchObject({ status: 'success', preloaded: false })
  expect(JSON.parse(own.stdout)).toEqual([['a'], { GREETING: 'g', EMPTY: null, LANG: 'C.UTF-8' }])
})

// promise: invocation
it.for([false, true])(
  'the next job of a batch finds no variable and no argument of the one before (preload: %s)',
  async (preload, context) => {
    context.skip(RUNTIME === 'runsc', 'gVisor reuses no container')

    const code = 'import json, os, sys\nprint(json.dumps([sys.argv[1:], os.environ.get("MINE")]))'
    const job: JobInput = { language: 'python', code, preload, reuse: 'batch', batchId: `env-${preload}` }
    const seen: unknown[] = []
    const origins: unknown[] = []
    for (const more of [{}, { args: ['a'], env: { MINE: '1' } }, {}, { env: { MINE: '2' } }, {}]) {
      const result = await world.client.run({ ...job, ...more })
      seen.push(JSON.parse(result.stdout))
      origins.push(result.containerOrigin)
    }
    expect(seen).toEqual([
      [[], null],
      [['a'], '1'],
      [[], null],
      [[], '2'],
      [[], null],
    ])
    expect(origins.slice(2)).toEqual(['batch', 'batch', 'batch'])
  },
)

// promise: fetched-files
it('requested files that a program leaves are in its result, and a warning names the missing ones', async () => {
  const result = await world.client.run({
    code: 'import os; open("a.bin", "wb").write(b"\\xff"); os.symlink("/etc/passwd", "b"); print("done")',
    fetchFiles: ['a.bin', 'b'],
  })
  expect(result).toMatchObject({ status: 'success', stdout: 'done\n' })
  expect(result.files).toEqual({ 'a.bin': { content: '/w==', encoding: 'base64' } })
  expect(result.warnings).toContain('fetchFiles: "b" was not left as a file, or is too large')
  expect(await world.client.run({ code: 'pass' })).not.toHaveProperty('files')
  for (const [more, problem] of [
    [{ fetchFiles: ['../x'] }, /^fetchFiles\.0: must be a relative path/],
    [{ fetchFiles: ['a', 'a'] }, /^fetchFiles: must be different paths/],
    [{ fetchFiles: Array.from({ length: 17 }, (_, n) => `f${n}`) }, /^fetchFiles: must be at most 16 paths/],
    [{ fetchFiles: ['a'], tests: [{ expected: '' }] }, /^fetchFiles: needs a program that is started once/],
    [{ fetchFiles: ['a'], repeat: 2 }, /^fetchFiles: needs a program that is started once/],
  ] as const) {
    await expect(world.client.run({ code: 'pass', ...more } as JobInput)).rejects.toThrow(problem)
  }
})

// promise: invocation
it('options and variables that a language does not support are refused by name', async () => {
  const refusal = async (job: JobInput) => (await world.client.run(job)).errorMessage
  expect(await refusal({ language: 'bash', code: 'x', compileArgs: ['-x'] })).toBe(
    'compileArgs: must be absent, because bash has no compile run',
  )
  expect(await refusal({ language: 'python', code: 'x', env: { PYTHONHASHSEED: '0' } })).not.toMatch(/env/)
  await expect(world.client.run({ code: 'x', env: { PYTHONPATH: '/workspace' } })).rejects.toThrow(
    /^env\.PYTHONPATH: must not be set/,
  )
  await expect(world.client.run({ code: 'x', env: { LD_PRELOAD: './a.so' } })).rejects.toThrow(
    /^env\.LD_PRELOAD: must not be set/,
  )
})
