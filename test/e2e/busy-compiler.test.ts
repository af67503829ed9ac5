import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@isopod/client'
import { IMAGES } from '@isopod/devstack'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { besideLoad, OVERCOMMITTED, SPIN } from '../support/beside-load.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

// Needs a quarter of a processor: more than its share beside a dozen other jobs, less than it gets in an exclusive run.
const SLOW = 'import time\nwhile time.process_time() < 0.75: pass'
const LIMITS = { compileSeconds: 3, timeoutSeconds: 3, cpus: 1 }

let folder: string
let world: World
let results: Record<'plain' | 'repeated' | 'tested' | 'stopping' | 'endless', Result>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-catalogue-'))
  const file = join(folder, 'languages.json')
  await writeFile(file, JSON.stringify({ python: python(), slow: python(SLOW), endless: python(SPIN) }))
  world = await startWorld({ env: { ...OVERCOMMITTED, SANDBOX_LANGUAGE_CONFIG_FILE: file } })
  results = await besideLoad(world.client, 10, runAll)
})

afterAll(async () => {
  await world?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Python whose compiler is this program, if there is one. */
function python(compiler?: string) {
  const compile = compiler === undefined ? {} : { compile: ['python3', '-c', compiler] }
  return { image: IMAGES.python, filename: 'main.py', command: ['python3', '{filename}'], ...compile }
}

async function runAll() {
  const job = { language: 'slow', code: 'print("done")', limits: LIMITS }
  const tests = [{ expected: 'other' }, { expected: 'done' }]
  const run = world.client.run.bind(world.client)
  const [plain, repeated, tested, stopping, endless] = await Promise.all([
    run(job),
    run({ ...job, repeat: 2 }),
    run({ ...job, tests }),
    run({ ...job, tests, stopOnFirstFailure: true }),
    run({ ...job, language: 'endless' }),
  ])
  return { plain, repeated, tested, stopping, endless }
}

const verdicts = ({ tests = [] }: Result) => tests.map(({ verdict }) => verdict)

// promise: flaky
it('a compile run that other jobs starved is repeated while nothing else runs', (context) => {
  context.skip(RUNTIME === 'runsc', 'gVisor counts processor time that a program waits for')
  const { plain, repeated } = results
  expect(plain).toMatchObject({ status: 'success', stdout: 'done\n', flaky: true })
  expect(repeated).toMatchObject({ status: 'success', stdout: 'done\n', flaky: true })
})

it('then all test cases run, up to the first failure if that stops the job', (context) => {
  context.skip(RUNTIME === 'runsc', 'gVisor counts processor time that a program waits for')
  const { tested, stopping } = results
  expect(verdicts(tested)).toEqual(['wrong_answer', 'passed'])
  expect(tested.flaky).toBe(true)
  expect(verdicts(stopping)).toEqual(['wrong_answer', 'skipped'])
})

it('a compile run that never ends is a compile error after a second one', () => {
  const { endless } = results
  expect(endless).toMatchObject({ status: 'compile_error', attributable: true, limit: 'timeout' })
  expect(endless.errorMessage).toContain('Execution timed out after 3 s')
  expect(endless.limitsApplied?.compileSeconds).toBe(3)
})
