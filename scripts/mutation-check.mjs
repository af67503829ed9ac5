// Takes one hardening flag after the other away, on the way to the engine, and shows who notices: `npm run mutation`.
// Writes docs/mutation-table.md; ends with 1 if nobody noticed and no reason is written down.
//   node scripts/mutation-check.mjs [part of a flag's name]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { ensureStack } = await import('@isopod/devstack')
const { openDockerSandbox } = await import('@isopod/sandbox')
const { MUTATIONS } = await import('../test/security/mutations.ts')
const { RewritingEngine } = await import('../test/support/rewriting-engine.ts')

/** Specs that are asked when the self-test of a worker noticed nothing. */
const SPECS = ['test/security/made-as-asked.test.ts']
/** Flags whose loss harms nothing that can be seen, and why they are kept. */
const REASONS = {}

const only = process.argv[2] ?? ''
const stack = await ensureStack({ workers: 0, say: (line) => console.error(line) })
const folder = mkdtempSync(join(tmpdir(), 'isopod-mutation-'))
const engine = new RewritingEngine(
  join(folder, 'engine.sock'),
  stack.engine.dockerHost.replace('unix://', ''),
)
await engine.open()

const rows = []
try {
  await check({ flag: 'none', to: 'as asked', change: () => {} }, true)
  for (const mutation of MUTATIONS.filter(({ flag }) => flag.includes(only))) rows.push(await check(mutation))
} finally {
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
}

const unnoticed = rows.filter(({ by }) => by === undefined)
if (only === '') {
  mkdirSync(join(root, 'docs'), { recursive: true })
  writeFileSync(join(root, 'docs', 'mutation-table.md'), table(rows))
}
for (const { flag, to } of unnoticed) console.error(`nobody notices: ${flag} -> ${to}`)
console.error(`${rows.length - unnoticed.length} of ${rows.length} mutations were noticed`)
process.exit(unnoticed.length > 0 ? 1 : 0)

async function check(mutation, control = false) {
  const { flag, to, change } = mutation
  engine.rewrite = change
  const noticed = (await asSelfTest()) ?? (await asSpec())
  const reason = REASONS[flag] && { by: 'nobody, by design', how: REASONS[flag] }
  if (control && noticed !== undefined) throw new Error(`without any mutation: ${noticed.by}, ${noticed.how}`)
  const row = { flag, to, ...(noticed ?? reason) }
  console.error(
    `${row.by === undefined && !control ? '✗' : '✓'} ${flag} -> ${to}: ${row.by ?? ''} ${row.how ?? ''}`,
  )
  return row
}

/** What a worker would find at its start: a container that it refuses to use, or a canary that succeeded. */
async function asSelfTest() {
  const sandbox = await openDockerSandbox({ address: engine.path, deployment: 'mutation', owner: 'mutation' })
  const stop = new AbortController()
  const succeeded = []
  let refused
  const onFinding = ({ probe, verdict, detail }) => {
    if (verdict === 'succeeded') succeeded.push(probe)
    if (verdict === 'untried') refused ??= detail
    // One is enough for a worker to take no job, and where one is refused the rest are.
    if (verdict === 'succeeded' || verdict === 'untried') stop.abort(new Error('seen enough'))
  }
  try {
    await sandbox.selfTest('isopod/bash:5.2', { signal: stop.signal, onFinding })
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    await sandbox.close()
  }
  if (succeeded.length > 0) return { by: 'self-test', how: `canary ${succeeded.sort().join(', ')}` }
  if (refused === undefined) return undefined
  const [, differences] = /not confined as asked: (.*)/.exec(refused) ?? []
  return differences === undefined
    ? { by: 'self-test', how: `cannot be made: ${refused}` }
    : { by: 'read-back', how: differences }
}

/** What the specs find on the same engine. */
async function asSpec() {
  // Not the synchronous call: the way to the engine leads through this very process.
  const child = spawn('vitest', ['run', '--project', 'system', '--reporter=json', ...SPECS], {
    cwd: root,
    env: { ...process.env, DOCKER_HOST: `unix://${engine.path}`, REDIS_URL: stack.redis.url },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  const [status] = await once(child, 'close')
  if (status === 0) return undefined
  const json = stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)
  const files = json === '' ? [] : JSON.parse(json).testResults
  const failed = files.flatMap((file) => file.assertionResults).filter((test) => test.status === 'failed')
  return { by: 'spec', how: failed.map(({ title }) => title).join('; ') || SPECS.join(', ') }
}

function table(found) {
  const cell = (text) => String(text ?? '').replaceAll('|', '\\|')
  const lines = found.map(
    ({ flag, to, by, how }) => `| ${[flag, `\`${to}\``, by ?? '**nobody**', how].map(cell).join(' | ')} |`,
  )
  return `# Who notices when a hardening flag is gone

Made by \`npm run mutation\`: on the way to the engine one flag of each container is taken away or weakened, then a worker's
self-test runs, and if that stays green the specs that read the container back. *read-back*: the worker refuses to run
anything in the container. *self-test*: a canary attack succeeds (the first
one that did is named) or cannot be made, so the worker takes no job. *spec*: a test goes red.

| flag | becomes | noticed by | how |
| --- | --- | --- | --- |
${lines.join('\n')}
`
}
