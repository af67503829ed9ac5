// Profiles a worker: runs jobs on a new worker under Node's profiler and saves the profile of its busiest thread, without the
// start, for speedscope. `npm run flame`, or `npm run flame -- --jobs 500 --out FILE`.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from '@isopod/client'
import { ensureStack, startWorker } from '@isopod/devstack'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '300' },
    out: { type: 'string', default: 'worker.cpuprofile' },
  },
})
const jobs = Number(values.jobs)
if (!Number.isInteger(jobs) || jobs < 1) {
  console.error(`flame: --jobs must be a whole number from 1, got ${values.jobs}`)
  process.exit(2)
}
const log = (line) => console.error(line)
const folder = await mkdtemp(join(tmpdir(), 'isopod-flame-'))
try {
  const { profile, busyUs } = await measure(await ensureStack({ workers: 0, log }))
  await writeFile(values.out, JSON.stringify(profile))
  log(`CPU time of the busiest thread: ${(busyUs / 1000 / jobs).toFixed(2)} ms per job`)
  log(`open its flame graph with: npx speedscope ${values.out}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Runs the jobs and returns the profile of the thread that used most CPU time. */
async function measure({ redis, engine }) {
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
      // As for every worker on a private engine.
      ISOPOD_ALLOW_OLD_RUNC: process.env.ISOPOD_ALLOW_OLD_RUNC || String(engine.ours),
      ISOPOD_QUEUE_PREFIX: prefix,
      // The self-test would distort the profile.
      ISOPOD_SELF_TEST: 'false',
    },
  })
  const readyUs = (performance.now() - started) * 1000
  const client = await connect({ url: redis.url, prefix })
  try {
    log(`running ${jobs} jobs`)
    const ids = await client.submitMany(Array.from({ length: jobs }, () => ({ code: 'print("hello")' })))
    const results = await Promise.all(ids.map((id) => client.wait(id)))
    const failed = results.filter(({ status }) => status !== 'success').length
    if (failed > 0) throw new Error(`flame: ${failed} of ${jobs} jobs failed`)
  } finally {
    await client.close()
    await worker.stop()
  }
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
  const threads = await Promise.all(
    files.map(async (name) => withoutStart(JSON.parse(await readFile(join(folder, name), 'utf8')), readyUs)),
  )
  return threads.reduce((busiest, thread) => (thread.busyUs > busiest.busyUs ? thread : busiest))
}

/** Drops the samples before `readyUs`, and sums the time of those in which the thread was busy. */
function withoutStart(profile, readyUs) {
  const idle = new Set(
    profile.nodes
      .filter(({ callFrame }) => ['(idle)', '(program)'].includes(callFrame.functionName))
      .map(({ id }) => id),
  )
  let [skipped, skippedUs] = [0, 0]
  while (skipped < profile.samples.length && skippedUs < readyUs) skippedUs += profile.timeDeltas[skipped++]
  const samples = profile.samples.slice(skipped)
  const timeDeltas = profile.timeDeltas.slice(skipped)
  const busyUs = timeDeltas.reduce((sum, us, at) => (idle.has(samples[at]) ? sum : sum + us), 0)
  return {
    profile: { ...profile, startTime: profile.startTime + skippedUs, samples, timeDeltas },
    busyUs,
  }
}
