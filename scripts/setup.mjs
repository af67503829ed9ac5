// Prepares a fresh checkout: installs packages from the lock file, then builds. Prints nothing if there is nothing to do.
// With --omit=dev it installs no packages that only lint, tests and benchmarks need.
// It runs before anything is installed, so it needs only Node 18.
import { spawnSync } from 'node:child_process'
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
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const modules = join(root, 'node_modules')
const bin = join(modules, '.bin')
const lock = join(root, '.isopod', 'setup.pid')
const lockStamp = join(modules, '.isopod-lock')
const buildStamp = join(modules, '.isopod-build')
/** In the stamp of an installation without the packages of `devDependencies`. */
const OMIT_DEV = '--omit=dev'
const omitsDev = process.argv.includes(OMIT_DEV)

try {
  takeTurn()
  installPackages()
  checkNode()
  build()
  unlinkSync(lock)
} catch (error) {
  // The message of a system error names the file.
  if (error.code === undefined) throw error
  fail(error.message)
}

/** Waits for another set-up of this checkout, which may be replacing packages. */
function takeTurn() {
  mkdirSync(join(root, '.isopod'), { recursive: true, mode: 0o700 })
  let logged = false
  for (;;) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = Number(read(lock))
    if (!isAlive(holder)) {
      // An empty file is still being written, or, after a second, was left by a crash.
      if (holder === 0) sleep(1000)
      if (Number(read(lock)) === holder) rmSync(lock, { force: true })
      continue
    }
    if (!logged) say(`waiting for another npm run setup (process ${holder}, since ${startOf(lock)})`)
    logged = true
    sleep(200)
  }
}

function installPackages() {
  const lockText = read(join(root, 'package-lock.json'))
  if (lockText === '') fail(`package-lock.json is missing in ${root}; restore it and try again`)
  const whole = `${hash(lockText)} ${process.platform}-${process.arch}`
  const partial = `${whole} ${OMIT_DEV}`
  const found = read(lockStamp)
  if (found === whole || (omitsDev && found === partial)) return
  if (!isInstalled(JSON.parse(lockText))) {
    const startedAt = Date.now()
    // `npm ci` deletes node_modules first, which a running demo or `isopod up` may use, so it does not add what is missing.
    const install = found === partial ? ['install', '--no-save'] : ['ci', ...(omitsDev ? [OMIT_DEV] : [])]
    say(`installing packages (npm ${install.join(' ')})`)
    // No package here needs its install script, and such scripts are a risk.
    const npm = run(
      'npm',
      [...install, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      withoutBin(),
    )
    if (npm.status !== 0) fail(`npm ${install[0]} failed:\n${npm.output}`)
    say(`installed packages in ${seconds(startedAt)}`)
  }
  writeFileSync(lockStamp, omitsDev ? partial : whole)
}

/** Whether node_modules contains the packages of the lock file. */
function isInstalled(wanted) {
  const text = read(join(modules, '.package-lock.json'))
  if (text === '') return false
  const installed = JSON.parse(text).packages
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) {
      // Only an install links the commands of workspaces.
      return Object.keys(entry.bin ?? {}).every((name) => path === '' || existsSync(join(bin, name)))
    }
    const found = installed[path]
    if (found === undefined) return entry.optional === true || (omitsDev && entry.dev === true)
    return found.version === entry.version && existsSync(join(root, path))
  })
}

/** Checks the version of the Node in node_modules/.bin, which is first on PATH in npm scripts. */
function checkNode() {
  const supplied = join(bin, 'node')
  const isSupplied = existsSync(supplied)
  const found = isSupplied ? run(supplied, ['--version']) : { status: 0, output: process.version }
  const [, major = 0, minor = 0] = /^v(\d+)\.(\d+)/.exec(found.output) ?? []
  if (found.status === 0 && (Number(major) > 22 || (Number(major) === 22 && Number(minor) >= 18))) return
  const have = isSupplied ? `${supplied} does not run here` : `this is ${process.version}`
  fail(`Node 22.18 or newer is needed and ${have}: install Node 24 from https://nodejs.org and try again`)
}

function build() {
  const wanted = sourcesFingerprint()
  if (read(buildStamp) === wanted && isBuilt()) return
  const startedAt = Date.now()
  const built = run('npm', ['run', 'build', '--silent'], {
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
  return hash([process.arch, ...lines].join('\n'))
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

function run(program, words, env = process.env) {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { status, output: error ? error.message : `${stdout}${stderr}`.trim() }
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
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function say(line) {
  process.stderr.write(`setup: ${line}\n`)
}

function fail(message) {
  say(message)
  if (Number(read(lock)) === process.pid) unlinkSync(lock)
  process.exit(1)
}
