// Fuzzes native/ with libFuzzer: npm run fuzz --workspace @isopod/init -- [--minutes 10] [--keep]
// What it finds is written to build/fuzz; --keep makes fuzz/corpus.tar.gz the smallest set that covers all of it beside the
// seeds. With --add FILE it only adds that input to the corpus.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { addInput, packCorpus, unpackCorpus } from '../test/fuzz/corpus.ts'
import { SEEDS, seedBytes } from '../test/fuzz/seeds.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    keep: { type: 'boolean', default: false },
    add: { type: 'string', multiple: true, default: [] },
  },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, got ${values.minutes}`)

/** A hang is counted in turns of the loop; this bound is only for a busy machine, on which the fuzzer comes last. */
const TIMEOUT_SECONDS = 120
/** Larger inputs take longer and reach nothing that a seed does not. */
const MAX_INPUT_BYTES = 65_536
/** Inputs of the corpus are short, so that a reader can look at them. */
const MAX_KEPT_BYTES = 4096

const fuzz = fileURLToPath(new URL('../fuzz', import.meta.url))
const work = fileURLToPath(new URL('../build/fuzz', import.meta.url))
const [fuzzer, corpus, found, seeds] = ['fuzzer', 'corpus', 'found', 'seeds'].map((name) => join(work, name))
makeEmpty(corpus)
unpackCorpus(corpus)

if (values.add.length > 0) {
  // npm starts scripts in the package's folder; a path is relative to where the command was typed.
  process.chdir(process.env.INIT_CWD ?? process.cwd())
  for (const file of values.add) addInput(corpus, file)
  packCorpus(corpus)
} else {
  for (const folder of [found, seeds]) mkdirSync(folder, { recursive: true })
  for (const [name, seed] of Object.entries(SEEDS)) writeFileSync(join(seeds, name), seedBytes(seed))
  // In memory, because each input makes and removes files.
  const root = mkdtempSync('/dev/shm/isopod-fuzz-')
  try {
    search(root)
    if (values.keep) keep(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function search(root) {
  run('sh', [join(fuzz, 'build.sh'), 'fuzzer', fuzzer], root, 'the harness could not be compiled')
  const common = [
    `-dict=${join(fuzz, 'init.dict')}`,
    `-timeout=${TIMEOUT_SECONDS}`,
    `-artifact_prefix=${work}/`,
  ]
  const time = [`-max_total_time=${Math.ceil(minutes * 60)}`, '-print_final_stats=1']
  run(fuzzer, [...common, ...time, `-max_len=${MAX_INPUT_BYTES}`, found, corpus, seeds], root)
}

/** Starts from the seeds, which are replayed anyway: merging into the old corpus would never make it smaller. */
function keep(root) {
  const merged = join(work, 'merged')
  makeEmpty(merged)
  for (const name of readdirSync(seeds)) copyFileSync(join(seeds, name), join(merged, name))
  run(fuzzer, ['-set_cover_merge=1', `-max_len=${MAX_KEPT_BYTES}`, merged, corpus, found], root)
  for (const name of Object.keys(SEEDS)) rmSync(join(merged, name), { force: true })
  packCorpus(merged)
}

function makeEmpty(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}

function run(command, args, root, failure = `${command} failed; the input that broke it is in ${work}`) {
  const env = { ...process.env, ISOPOD_FUZZ_ROOT: root, ASAN_OPTIONS: 'detect_leaks=0' }
  const { status, error } = spawnSync('nice', ['-n', '19', command, ...args], { stdio: 'inherit', env })
  if (error) throw error
  if (status !== 0) {
    process.exitCode = status ?? 1
    throw new Error(failure)
  }
}
