// Fuzzes native/ with libFuzzer: npm run fuzz --workspace @isopod/init -- [--minutes 10] [--keep]
// What it finds lies in build/fuzz; --keep makes fuzz/corpus the least that covers all of it beside the seeds.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SEEDS, seedBytes } from '../test/fuzz/seeds.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, keep: { type: 'boolean', default: false } },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, got ${values.minutes}`)

/** A hang is a number of turns; this is only for a busy machine, on which the fuzzer comes last. */
const PATIENCE_SECONDS = 120
/** Larger inputs take longer and reach nothing that a seed does not. */
const LONGEST_INPUT = 65_536
/** Kept inputs: short ones are enough, and a reader can look at them. */
const LONGEST_KEPT = 4096

const fuzz = fileURLToPath(new URL('../fuzz', import.meta.url))
const kept = join(fuzz, 'corpus')
const work = fileURLToPath(new URL('../build/fuzz', import.meta.url))
const [fuzzer, found, seeds] = ['fuzzer', 'found', 'seeds'].map((name) => join(work, name))
for (const folder of [kept, found, seeds]) mkdirSync(folder, { recursive: true })
for (const [name, seed] of Object.entries(SEEDS)) writeFileSync(join(seeds, name), seedBytes(seed))

// In memory, because each input makes and removes files.
const root = mkdtempSync('/dev/shm/isopod-fuzz-')
try {
  run('sh', [join(fuzz, 'build.sh'), 'fuzzer', fuzzer])
  const common = [
    `-dict=${join(fuzz, 'init.dict')}`,
    `-timeout=${PATIENCE_SECONDS}`,
    `-artifact_prefix=${work}/`,
  ]
  const time = [`-max_total_time=${Math.ceil(minutes * 60)}`, '-print_final_stats=1']
  run(fuzzer, [...common, ...time, `-max_len=${LONGEST_INPUT}`, found, kept, seeds])
  if (values.keep) keep()
} finally {
  rmSync(root, { recursive: true, force: true })
}

/** Starts anew from the seeds, which are replayed anyway: merging into what is kept would never make it smaller. */
function keep() {
  const merged = join(work, 'merged')
  rmSync(merged, { recursive: true, force: true })
  mkdirSync(merged)
  for (const name of readdirSync(seeds)) copyFileSync(join(seeds, name), join(merged, name))
  run(fuzzer, ['-set_cover_merge=1', `-max_len=${LONGEST_KEPT}`, merged, kept, found])
  for (const name of readdirSync(kept)) rmSync(join(kept, name))
  for (const name of readdirSync(merged)) {
    if (!(name in SEEDS)) copyFileSync(join(merged, name), join(kept, name))
  }
}

function run(command, args) {
  const env = { ...process.env, ISOPOD_FUZZ_ROOT: root, ASAN_OPTIONS: 'detect_leaks=0' }
  const { status, error } = spawnSync('nice', ['-n', '19', command, ...args], { stdio: 'inherit', env })
  if (error) throw error
  if (status !== 0) {
    process.exitCode = status ?? 1
    throw new Error(`${command} failed; what broke it lies in ${work}`)
  }
}
