import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

/** Some modules that every job uses; they show that the coverage is complete. */
const NEEDED = [
  'client/client',
  'queue/jobs/enqueue',
  'worker/jobs/run-job',
  'sandbox/program/run-program',
  'queue/jobs/publisher',
]

/** Modules of features that hello world does not use. */
const UNNEEDED = [
  /^(judging|grading)\//,
  /^worker\/(network|self-test|jobs\/(cache-key|cached-run))/,
  /^sandbox\/(multi-run|self-test|simulated|acquire\/(batch|preload))/,
  /^sandbox\/(program\/tunnel|execution\/fetch-file|driver\/preload)/,
  // Under gVisor these limits of the host hold the sandbox itself.
  ...(RUNTIME === 'runc' ? [/^sandbox\/docker\/host-limits/] : []),
  /^queue\/(batches|cache|live|webhooks)\//,
  /^init\/encode-(net|preload)$/,
  /^client\/batch\//,
]

/** One module in a coverage report of Node. */
interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly count: number }[]
  }[]
}

/** The functions that were called, by module. */
type Calls = ReadonlyMap<string, ReadonlySet<string>>

const MODULE = /\/(?:packages|apps)\/([a-z-]+)\/dist\/(.+)\.js$/

/** Reads from a coverage folder which functions were called in the ended processes and their threads. */
async function callsIn(folder: string): Promise<Calls> {
  const calls = new Map<string, Set<string>>()
  for (const file of await readdir(folder)) {
    const { result }: { result: ScriptCoverage[] } = JSON.parse(await readFile(join(folder, file), 'utf8'))
    for (const { url, functions } of result) {
      const [, owner, name] = MODULE.exec(url) ?? []
      if (owner === undefined) continue
      const called = functions.filter(
        ({ functionName, ranges: [all] }) => functionName && all && all.count > 0,
      )
      const module = `${owner}/${name}`
      calls.set(
        module,
        new Set([...(calls.get(module) ?? []), ...called.map(({ functionName }) => functionName)]),
      )
    }
  }
  return calls
}

async function coverageFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-coverage-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The calls of a worker and a client from start to end, which run hello world only if `isRun`. */
async function trace(isRun: boolean): Promise<Calls> {
  const folder = await coverageFolder()
  const world = await startWorld({
    env: {
      ISOPOD_SLOTS: '1',
      ISOPOD_POOL_SIZE: '1',
      NODE_V8_COVERAGE: folder,
      NODE_DISABLE_COMPILE_CACHE: '1',
    },
  })
  try {
    await startClient(world, isRun, folder)
  } finally {
    await world.close()
  }
  return await callsIn(folder)
}

/** Connects a client in its own process, which runs hello world only if `isRun`. */
async function startClient({ redisUrl: url, prefix }: World, isRun: boolean, folder: string): Promise<void> {
  const job = { language: 'python', code: 'print("hello")' }
  const code = `
    import { connect } from '@isopod/client'
    const client = await connect(${JSON.stringify({ url, prefix })})
    const result = ${isRun} ? await client.run(${JSON.stringify(job)}) : undefined
    await client.close()
    process.exitCode = result?.stdout === ${isRun ? "'hello\\n'" : undefined} ? 0 : 1`
  const env = { ...process.env, NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { env, stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
}

// promise: hello-path
it('hello world calls no module of a feature that it does not use, from the client to the publication', async () => {
  const [idle, busy] = await Promise.all([trace(false), trace(true)])
  const entered = [...busy]
    .filter(([module, calls]) => [...calls].some((call) => !idle.get(module)?.has(call)))
    .map(([module]) => module)
  expect(entered).toEqual(expect.arrayContaining(NEEDED))
  expect(entered.filter((module) => UNNEEDED.some((part) => part.test(module)))).toEqual([])
  // A pattern that no loaded module matches proves nothing.
  const loaded = [...busy.keys()]
  expect(UNNEEDED.filter((part) => !loaded.some((module) => part.test(module)))).toEqual([])
})
