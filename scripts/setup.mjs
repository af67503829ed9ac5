// Prepares a fresh checkout: installs packages from the lock file, then builds. Prints nothing if there is nothing to do.
// With --omit=dev it installs no packages that only lint, tests and benchmarks need.
// It runs before anything is installed, so it uses no package, and nothing newer than Node 20.19.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const modules = join(root, 'node_modules')
const bin = join(modules, '.bin')
const lock = join(root, '.isopod', 'setup.pid')
const lockStamp = join(modules, '.isopod-lock')
/** Npm's own list of what it installed. */
const packageList = join(modules, '.package-lock.json')
const buildStamp = join(modules, '.isopod-build')
/** Ends the stamp of an installation that lacks the packages of `devDependencies`. */
const OMIT_DEV = '--omit=dev'
/** For npm where NODE_ENV or its own settings say otherwise. */
const INCLUDE_DEV = '--include=dev'
const omitsDev = process.argv.includes(OMIT_DEV)
/** The command that runs now, and the signal that is to end this set-up. */
const running = { child: undefined, signal: undefined }

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    running.signal = signal
    // A terminal sends Ctrl-C to the command, too, and npm would not clean up after a second one.
    if (signal !== 'SIGINT') running.child?.kill(signal)
  })
}

try {
  await takeTurn()
  await installPackages()
  await checkNode()
  await build()
  end(0)
} catch (error) {
  // The message of a system error names the file.
  if (error.code === undefined) throw error
  fail(error.message)
}

/** Waits for another set-up of this checkout, which may be replacing packages. */
async function takeTurn() {
  mkdirSync(join(root, '.isopod'), { recursive: true, mode: 0o700 })
  let logged = false
  for (;;) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = Number(read(lock))
    // In a new container, this process may get the id of the one that left the file.
    if (holder === process.pid || !isAlive(holder)) {
      // An empty file is still being written, or, after a second, was left by a crash.
      if (holder === 0) await sleep(1000)
      if (Number(read(lock)) === holder) rmSync(lock, { force: true })
      continue
    }
    if (!logged) say(`waiting for another npm run setup (process ${holder}, since ${startOf(lock)})`)
    logged = true
    await sleep(200)
    if (running.signal !== undefined) end()
  }
}

async function installPackages() {
  const lockText = read(join(root, 'package-lock.json'))
  if (lockText === '') fail(`package-lock.json is missing in ${root}; restore it and try again`)
  const manifests = ['package.json', ...workspaces().map((folder) => join(folder, 'package.json'))]
  const texts = [lockText, ...manifests.map((file) => read(join(root, file)))]
  const whole = `${hash(texts.join('\n'))} ${process.platform}-${process.arch}`
  const partial = `${whole} ${OMIT_DEV}`
  const found = read(lockStamp)
  if (found === whole || (omitsDev && found === partial)) return
  const wanted = JSON.parse(lockText).packages
  if (missingPackage(wanted) !== undefined) {
    const startedAt = Date.now()
    await (found === partial ? addDevPackages() : runNpm(['ci', omitsDev ? OMIT_DEV : INCLUDE_DEV]))
    const missing = missingPackage(wanted)
    if (missing !== undefined) {
      fail(`npm did not install ${missing}. It needs Node 20.19 or newer; this is ${process.version}`)
    }
    say(`installed packages in ${seconds(startedAt)}`)
  }
  writeFileSync(lockStamp, omitsDev ? partial : whole)
}

/** Completes an installation. `npm ci` would first delete node_modules, which a running demo or `isopod up` may use. */
async function addDevPackages() {
  // If this is killed, packages may be incomplete, and without these files the next set-up runs `npm ci`.
  const stamp = read(lockStamp)
  const list = read(packageList)
  for (const file of [lockStamp, packageList]) rmSync(file, { force: true })
  await runNpm(['install', '--no-save', INCLUDE_DEV], () => {
    writeFileSync(packageList, list)
    writeFileSync(lockStamp, stamp)
  })
}

/** @param undo is called if npm fails, before set-up ends */
async function runNpm(words, undo) {
  say(`installing packages (npm ${words.filter((word) => word !== INCLUDE_DEV).join(' ')})`)
  // No package here needs its install script, and such scripts are a risk.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = await run('npm', [...words, ...options], withoutBin())
  if (npm.status === 0) return
  undo?.()
  fail(`npm ${words[0]} failed:\n${npm.output}`)
}

/** The first package of the lock file that node_modules lacks; undefined if there is none. */
function missingPackage(wanted) {
  const text = read(packageList)
  const installed = text === '' ? {} : JSON.parse(text).packages
  return Object.entries(wanted).find(([path, entry]) => {
    if (!path.startsWith('node_modules/')) {
      // Only an install links the commands of workspaces.
      return Object.keys(entry.bin ?? {}).some((name) => path !== '' && !existsSync(join(bin, name)))
    }
    const found = installed[path]
    if (found === undefined) return !(omitsDev && entry.dev === true) && !isForOtherHosts(entry)
    return found.version !== entry.version || !existsSync(join(root, path))
  })?.[0]
}

/** Whether a package is optional, and meant for other systems, processors or C libraries or for none by name. */
function isForOtherHosts({ optional, os, cpu, libc }) {
  if (optional !== true) return false
  if (os === undefined && cpu === undefined) return true
  return isOther(os, process.platform) || isOther(cpu, process.arch) || (libc && isOther(libc, cLibrary()))
}

function isOther(names, own) {
  return names !== undefined && !names.includes(own)
}

function cLibrary() {
  return process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

/** Checks the version of the Node in node_modules/.bin, which is first on PATH in npm scripts. */
async function checkNode() {
  const supplied = join(bin, 'node')
  const isSupplied = existsSync(supplied)
  const found = isSupplied ? await run(supplied, ['--version']) : { status: 0, output: process.version }
  const [, major = 0, minor = 0] = /^v(\d+)\.(\d+)/.exec(found.output) ?? []
  if (found.status === 0 && (Number(major) > 22 || (Number(major) === 22 && Number(minor) >= 18))) return
  const have = isSupplied ? `${supplied} does not run here` : `this is ${process.version}`
  fail(`Node 22.18 or newer is needed and ${have}: install Node 24 from https://nodejs.org and try again`)
}

async function build() {
  const wanted = sourcesFingerprint()
  if (read(buildStamp) === wanted && isBuilt()) return
  const startedAt = Date.now()
  const built = await run('npm', ['run', 'build', '--silent'], {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    FORCE_COLOR: '0',
  })
  if (built.status !== 0) fail(`the build failed:\n${built.output}`)
  for (const folder of workspaces()) removeStrays(folder)
  writeFileSync(buildStamp, wanted)
  say(`built in ${seconds(startedAt)}`)
}

/** Removes compiled files without a source, which could still be imported and would be packed. */
function removeStrays(folder) {
  for (const file of filesBelow(join(folder, 'dist')).filter((name) => name.endsWith('.d.ts'))) {
    const source = join(root, file.replace(`${folder}/dist/`, `${folder}/src/`).replace(/\.d\.ts$/, '.ts'))
    if (existsSync(source)) continue
    const stem = join(root, file.slice(0, -'.d.ts'.length))
    for (const end of ['.d.ts', '.d.ts.map', '.js', '.js.map']) rmSync(stem + end, { force: true })
  }
}

/** Names, sizes and times of all inputs of the build. If they differ, the compilers compare contents. */
function sourcesFingerprint() {
  const lines = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'].map(describe)
  for (const folder of workspaces()) {
    for (const part of ['package.json', 'tsconfig.json', 'src', 'native', 'spawner', 'probe', 'scripts']) {
      for (const file of filesBelow(join(folder, part))) lines.push(describe(file))
    }
  }
  return hash([`${process.platform}-${process.arch}`, ...lines].join('\n'))
}

function isBuilt() {
  return workspaces().every((folder) => existsSync(join(root, folder, 'dist', '.tsbuildinfo')))
}

function workspaces() {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(group, name))
      .filter((folder) => existsSync(join(root, folder, 'tsconfig.json'))),
  )
}

function filesBelow(path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (!statSync(full).isDirectory()) return [path]
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}

function describe(path) {
  const { size, mtimeMs } = statSync(join(root, path))
  return `${path} ${size} ${mtimeMs}`
}

/** Runs a command, and ends this set-up after it if a signal asked for that. @returns its exit code, and its output */
async function run(program, words, env = process.env) {
  const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.child = child
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const status = await new Promise((ended) => {
    child.on('error', (error) => {
      output += error.message
      ended(null)
    })
    child.on('close', ended)
  })
  running.child = undefined
  if (running.signal !== undefined) end()
  return { status, output: output.trim() }
}

/** PATH without node_modules/.bin, because npm removes that folder, and must not run on the Node in it. */
function withoutBin() {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
  return { ...process.env, PATH: folders.join(delimiter) }
}

function isAlive(pid) {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Local time at which a lock file was written. */
function startOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtime.toTimeString().slice(0, 8) ?? 'now'
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function hash(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function say(line) {
  process.stderr.write(`setup: ${line}\n`)
}

function fail(message) {
  say(message)
  end(1)
}

/** Ends this set-up, so that another one can start. If a signal asked for that, the exit code says so. */
function end(code) {
  if (Number(read(lock)) === process.pid) unlinkSync(lock)
  process.exit(running.signal === undefined ? code : 128 + constants.signals[running.signal])
}
