// Sets up the checkout, then runs `isopod demo`. For the process driver it makes the base image meanwhile, which takes as long
// and needs no npm package. It runs before anything is installed, so it uses no package.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const options = process.argv.slice(2)
const state = resolve(process.env.ISOPOD_STATE_DIR || join(root, '.isopod'))
/** Where the set-up of the process driver looks for it (`baseArchive` in packages/devstack/src/paths.ts). */
const baseArchive = join(state, 'base.tar')
const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) }
/** What runs now: set-up or the demo, and mmdebstrap meanwhile. */
const running = { step: undefined, mmdebstrap: undefined }
let isEnding = false
/** The exit code that a signal asks for. */
let signalCode = 0

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    signalCode = 128 + constants.signals[signal]
    // A terminal sends Ctrl-C to the step, too, and a second one would end it at once.
    if (signal !== 'SIGINT') running.step?.kill(signal)
    endBase()
  })
}

// Without it, `isopod demo` tries again and reports why.
const base = wantsBase() ? makeBase().catch((error) => say(error.message)) : undefined
process.exitCode = await runStep(process.execPath, [join(root, 'scripts', 'setup.mjs'), '--omit=dev'])
if (process.exitCode !== 0) endBase()
await base
process.exitCode ||= signalCode
if (process.exitCode === 0) {
  process.exitCode = await runStep('node', [
    join(root, 'apps', 'cli', 'bin', 'isopod.js'),
    'demo',
    ...options,
  ])
}
rmSync(baseArchive, { force: true })

/** Whether the demo will need the base image, and this user may install what makes it; `isopod demo` asks other users first. */
function wantsBase() {
  const [, driver = process.env.ISOPOD_DRIVER] = /--driver[ =](\S+)/.exec(options.join(' ')) ?? []
  if (driver !== 'process' || process.platform !== 'linux' || process.getuid() !== 0) return false
  if (process.env.ISOPOD_ROOTS_DIR || ['buildah', 'roots'].some((name) => existsSync(join(state, name))))
    return false
  return existsSync('/usr/bin/apt-get')
}

/** Makes the archive of the base image, unless a command fails. */
async function makeBase() {
  // `isopod demo` knows the packages from packages/devstack, which is not built yet, and installs those that are missing here.
  const packages = ['buildah', 'mmdebstrap', 'debian-archive-keyring']
  if (!process.env.REDIS_URL) packages.unshift('redis-server')
  say(`installing ${packages.join(', ')} with apt-get`)
  const script = join(root, 'packages', 'devstack', 'scripts', 'install-packages.sh')
  const install = () => succeeds(start('sh', [script, ...packages]))
  // A fresh system has no package lists.
  const installed =
    (await install()) ||
    (!isEnding && (await succeeds(start('apt-get', ['update', '-q']))) && (await install()))
  if (!installed || isEnding) return
  say('making the base image from Debian’s packages (20 s to 2 min)')
  const startedAt = Date.now()
  const scratch = join(state, 'scratch')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  mkdirSync(scratch, { recursive: true })
  const draft = join(scratch, `base-${process.pid}.tar`)
  const file = openSync(draft, 'w', 0o600)
  running.mmdebstrap = start('sh', [join(root, 'deploy', 'images', 'base.sh')], {
    stdio: ['ignore', file, 'ignore'],
    env: { ...process.env, TMPDIR: scratch },
  })
  const made = await succeeds(running.mmdebstrap)
  running.mmdebstrap = undefined
  closeSync(file)
  if (!made) return rmSync(draft)
  renameSync(draft, baseArchive)
  say(`made the base image in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`)
}

/** Ends the work on the base image as soon as nothing stays half done: apt-get ends what it has begun. */
function endBase() {
  isEnding = true
  try {
    // Its whole group: mmdebstrap cleans up once its parts have ended.
    if (running.mmdebstrap) process.kill(-running.mmdebstrap.pid, 'SIGTERM')
  } catch (error) {
    // It has ended by itself.
    if (error.code !== 'ESRCH') throw error
  }
}

/** Starts a command in a process group of its own, out of reach of the terminal's signals. */
function start(program, words, how = { stdio: 'ignore' }) {
  return spawn(program, words, { ...how, detached: true })
}

async function succeeds(child) {
  return (await exitCode(child)) === 0
}

/** Runs a command with this terminal. @returns its exit code */
async function runStep(program, words) {
  const child = spawn(program, words, { cwd: process.cwd(), env, stdio: 'inherit' })
  running.step = child
  const code = await exitCode(child)
  running.step = undefined
  return code
}

function exitCode(child) {
  return new Promise((ended) => {
    child.on('error', (error) => {
      say(error.message)
      ended(127)
    })
    child.on('close', (code, signal) => ended(code ?? 128 + constants.signals[signal]))
  })
}

function say(line) {
  process.stderr.write(`demo: ${line}\n`)
}
