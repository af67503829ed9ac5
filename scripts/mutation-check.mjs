// Removes one hardening flag at a time between worker and engine, and shows which test notices: `npm run mutation`, with
// `-- PART` only the flags whose name contains PART, with `-- process` only the protections of the process driver. Writes
// docs/mutation-table.md and docs/process-mutation-table.md. Exits with 1 if a mutation is not noticed, or
// is noticed only in the engine's record and the mutation gives no reason for that.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeProcessTable } from './process-mutations.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { ensureStack } = await import('@isopod/devstack')
const { openDockerSandbox } = await import('@isopod/sandbox')
const { MUTATIONS } = await import('../test/security/mutations.ts')
const { RewritingEngine } = await import('../test/support/rewriting-engine.ts')

/** Specs that run if the self-test noticed nothing: one on behaviour, one on the engine's record. */
const BEHAVIOUR = 'test/security/worker-gone.test.ts'
const RECORD = 'test/security/made-as-asked.test.ts'
const TABLE = join(root, 'docs', 'mutation-table.md')
const USERS = { first: 60_000, last: 60_255, gid: 65_534 }

const only = process.argv[2] ?? ''
if (only === 'process') process.exit(writeProcessTable())
const stack = await ensureStack({ workers: 0, log: (line) => console.error(line) })
const folder = mkdtempSync(join(tmpdir(), 'isopod-mutation-'))
const engine = new RewritingEngine(
  join(folder, 'engine.sock'),
  stack.engine.dockerHost.replace('unix://', ''),
)
await engine.open()

const rows = []
try {
  await check({ flag: 'none', to: 'unchanged', change: () => {} }, true)
  for (const mutation of MUTATIONS.filter(({ flag }) => flag.includes(only))) rows.push(await check(mutation))
} finally {
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
}

const unnoticed = rows.filter(({ by }) => by === undefined)
const unexplained = rows.filter(({ by, why }) => by === 'record' && why === undefined)
if (only === '') {
  mkdirSync(join(root, 'docs'), { recursive: true })
  writeFileSync(TABLE, table(rows))
  spawnSync('biome', ['format', '--write', TABLE], { cwd: root, stdio: 'inherit' })
}
for (const { flag, to } of unnoticed) console.error(`not noticed: ${flag} -> ${to}`)
for (const { flag, to } of unexplained) console.error(`only the record, without a reason: ${flag} -> ${to}`)
console.error(`${rows.length - unnoticed.length} of ${rows.length} mutations were noticed`)
const processFailed = only === '' && writeProcessTable() > 0
process.exit(unnoticed.length + unexplained.length > 0 || processFailed ? 1 : 0)

async function check(mutation, control = false) {
  const { flag, to, change, onlyRecord } = mutation
  let changed = false
  engine.rewrite = (options) => {
    const before = JSON.stringify(options)
    change(options)
    changed ||= JSON.stringify(options) !== before
  }
  const noticed = (await runSelfTest()) ?? (await runSpecs())
  if (!changed && !control)
    throw new Error(`${flag} -> ${to} changes nothing: the worker no longer sets the flag`)
  if (control && noticed !== undefined) throw new Error(`without any mutation: ${noticed.by}, ${noticed.how}`)
  // The reason applies only if nothing but the record noticed the mutation.
  const why = noticed?.by === 'record' ? onlyRecord : undefined
  const row = { flag, to, ...noticed, why }
  console.error(
    `${row.by === undefined && !control ? '✗' : '✓'} ${flag} -> ${to}: ${row.by ?? ''} ${row.how ?? ''}`,
  )
  return row
}

/** Runs a worker's self-test: it can refuse the container, or find that a probe succeeded. */
async function runSelfTest() {
  const sandbox = await openDockerSandbox({
    address: engine.path,
    deployment: 'mutation',
    owner: 'mutation',
    users: USERS,
    // The distribution's runc can be old.
    allowOldRunc: true,
  })
  const stop = new AbortController()
  const succeeded = []
  let refused
  const onFinding = ({ probe, verdict, detail }) => {
    if (verdict === 'succeeded') succeeded.push(probe)
    if (verdict === 'untried') refused ??= detail
    // One finding is enough.
    if (verdict === 'succeeded' || verdict === 'untried')
      stop.abort(new Error('a probe has noticed the mutation'))
  }
  try {
    await sandbox.selfTest('isopod/bash:5.2', { signal: stop.signal, onFinding })
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    await sandbox.close()
  }
  if (succeeded.length > 0) return { by: 'self-test', how: `probe ${succeeded.sort().join(', ')}` }
  if (refused === undefined) return undefined
  const [, differences] = /not confined as asked: (.*)/.exec(refused) ?? []
  return differences === undefined
    ? { by: 'self-test', how: `cannot be made: ${refused}` }
    : { by: 'read-back', how: differences.replaceAll(/wanted 60\d{3}\b/g, 'wanted its own') }
}

/** Runs the specs on the same engine. */
async function runSpecs() {
  // Asynchronous, because this process forwards the connections to the engine.
  const report = join(folder, 'specs.json')
  rmSync(report, { force: true })
  const args = ['run', '--project', 'system', '--reporter=json', `--outputFile=${report}`, BEHAVIOUR, RECORD]
  const child = spawn('vitest', args, {
    cwd: root,
    env: { ...process.env, DOCKER_HOST: `unix://${engine.path}`, REDIS_URL: stack.redis.url },
    stdio: 'ignore',
  })
  const [status] = await once(child, 'close')
  if (status === 0) return undefined
  const { testResults: files } = JSON.parse(readFileSync(report, 'utf8'))
  const failed = (spec) => {
    const file = files.find(({ name }) => name.endsWith(spec))
    const titles = file?.assertionResults.filter((test) => test.status === 'failed').map(({ title }) => title)
    // A file without test results did not fail because of the mutation.
    if (file === undefined || (file.status === 'failed' && titles.length === 0)) {
      throw new Error(`${spec} could not be run: ${file?.message}`)
    }
    return titles.length > 0
  }
  if (failed(BEHAVIOUR)) return { by: 'spec', how: basename(BEHAVIOUR) }
  if (failed(RECORD)) return { by: 'record', how: basename(RECORD) }
  throw new Error(`the specs ended with ${status}, and no test failed`)
}

function table(found) {
  const cell = (text) => String(text ?? '').replaceAll('|', '\\|')
  const lines = found.map(
    ({ flag, to, by, how, why }) =>
      `| ${[flag, `\`${to}\``, by ?? '**none**', how, why].map(cell).join(' | ')} |`,
  )
  return `# Which test notices a missing hardening flag

Made by \`npm run mutation\`. Between worker and engine it removes or weakens one flag of each container, then runs a worker's
self-test and, if that notices nothing, two specs. What can notice a missing flag, in this order:

- **read-back**: the worker refuses to run anything in the container.
- **self-test**: a probe succeeds (the table names the first), or its container cannot be made, so the worker takes no job.
- **spec**: a test of a container's behaviour fails.
- **record**: only the test that compares the engine's record of a container with the request fails.

[probe-sensitivity.test.ts](../packages/sandbox/test/system/probe-sensitivity.test.ts) shows that each probe notices its weakness
where the read-back does not. [limits-applied.test.ts](../packages/sandbox/test/execution/limits-applied.test.ts) and
[read-back.test.ts](../test/security/read-back.test.ts) show that each check of the read-back is needed.

| flag | becomes | noticed by | how | why only the record |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`
}
