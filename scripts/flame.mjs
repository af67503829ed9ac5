// Where a worker's CPU time goes: runs jobs through a worker of its own under Node's profiler, and draws what it saw into
// docs/benchmarks/flame.svg. `npm run flame`, or `npm run flame -- --jobs 500 --out FILE`.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connect } from '@isopod/client'
import { ensureStack, startWorker } from '@isopod/devstack'
import { draw } from './flame/draw.mjs'
import { fold } from './flame/fold.mjs'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '300' },
    out: { type: 'string', default: fileURLToPath(new URL('../docs/benchmarks/flame.svg', import.meta.url)) },
  },
})
const jobs = Number(values.jobs)
if (!Number.isInteger(jobs) || jobs < 1) {
  console.error(`flame: --jobs must be a whole number from 1, got ${values.jobs}`)
  process.exit(2)
}
const say = (line) => console.error(line)
const folder = await mkdtemp(join(tmpdir(), 'isopod-flame-'))
try {
  await writeFile(values.out, await flame(await ensureStack({ workers: 0, log: say })))
  say(`drew ${values.out}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function flame({ redis, engine }) {
  const prefix = `flame-${process.pid}`
  const started = performance.now()
  const worker = await startWorker({
    redisUrl: redis.url,
    dockerHost: engine.dockerHost,
    log: join(folder, 'worker.log'),
    stack: prefix,
    env: {
      ...process.env,
      NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${folder}`,
      // As for every worker on an engine that set-up has started.
      ISOPOD_ALLOW_OLD_RUNC: process.env.ISOPOD_ALLOW_OLD_RUNC || String(engine.ours),
      ISOPOD_QUEUE_PREFIX: prefix,
      // Its programs are not the jobs' path.
      ISOPOD_SELF_TEST: 'false',
    },
  })
  const readyMs = performance.now() - started
  const client = await connect({ url: redis.url, prefix })
  try {
    say(`running ${jobs} jobs`)
    const ids = await client.submitMany(Array.from({ length: jobs }, () => ({ code: 'print("hello")' })))
    const results = await Promise.all(ids.map((id) => client.wait(id)))
    const failed = results.filter(({ status }) => status !== 'success').length
    if (failed > 0) throw new Error(`flame: ${failed} of ${jobs} jobs failed`)
  } finally {
    await client.close()
    await worker.stop()
  }
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
  const profiles = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  )
  const root = fold(profiles, readyMs)
  const each = (root.us / 1000 / jobs).toFixed(2)
  return draw(
    root,
    `CPU time of a worker over ${jobs} Python jobs in fresh containers, its start left out: ${each} ms each`,
  )
}
