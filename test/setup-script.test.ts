import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../scripts/setup.mjs', import.meta.url))
const PACKAGES = {
  'node_modules/used': { version: '1.0.0' },
  'node_modules/tests': { version: '1.0.0', dev: true },
  'node_modules/other-system': { version: '1.0.0', optional: true, os: ['aix'] },
}

/** Records its words, and installs what the lock file lists: whole after `ci`, beside what is there after `install`. */
const NPM = `#!${process.execPath}
const fs = require('node:fs')
const words = process.argv.slice(2)
fs.appendFileSync('commands', words.filter((word) => !/^--(ignore|no-audit|no-fund|loglevel|silent)/.test(word)).join(' ') + '\\n')
if (fs.existsSync('npm-fails')) { console.error('no such package'); process.exit(1) }
if (words[0] === 'run') process.exit()
if (words[0] === 'ci') fs.rmSync('node_modules', { recursive: true, force: true })
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
const isWanted = ({ dev, os, absent }) => !(dev && words.includes('--omit=dev')) && !os?.includes('aix') && !absent
const wanted = Object.entries(packages).filter(([, entry]) => isWanted(entry))
for (const [path] of wanted) fs.mkdirSync(path, { recursive: true })
if (fs.existsSync('all-is-killed')) for (const pid of [process.ppid, process.pid]) process.kill(pid, 'SIGKILL')
const end = () => fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(wanted) }))
if (fs.existsSync('npm-is-slow')) {
  process.on('SIGTERM', () => setTimeout(() => { fs.writeFileSync('npm-cleaned-up', ''); process.exit(1) }, 200))
  fs.writeFileSync('npm-runs', '')
  setTimeout(end, 60_000)
} else end()
`

/** A checkout with the real script and without workspaces, and a folder with an npm that installs empty packages. */
let checkout: string

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'isopod-setup-'))
  for (const folder of ['scripts', 'packages', 'apps']) mkdirSync(join(checkout, folder))
  cpSync(SCRIPT, join(checkout, 'scripts', 'setup.mjs'))
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.base.json']) put(file, '{}')
  put('package-lock.json', JSON.stringify({ packages: PACKAGES }))
  put('programs/npm', NPM)
  chmodSync(join(checkout, 'programs', 'npm'), 0o755)
})

afterEach(() => rmSync(checkout, { recursive: true, force: true }))

function put(file: string, text: string): void {
  mkdirSync(dirname(join(checkout, file)), { recursive: true })
  writeFileSync(join(checkout, file), text)
}

const environment = () => ({
  ...process.env,
  PATH: [join(checkout, 'programs'), process.env['PATH']].join(delimiter),
})

/** @returns the exit code, what was printed, and the commands of npm without their usual options */
function setUp(...words: readonly string[]) {
  return start(process.execPath, ['scripts/setup.mjs', ...words])
}

function start(command: string, words: readonly string[]) {
  rmSync(join(checkout, 'commands'), { force: true })
  const options = { cwd: checkout, env: environment(), encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(command, words, options)
  const commands = has('commands') ? readFileSync(join(checkout, 'commands'), 'utf8').trim().split('\n') : []
  return { status, stderr, commands }
}

const has = (path: string) => existsSync(join(checkout, path))

describe('npm run setup', () => {
  it('installs all packages and builds, and does nothing the second time', () => {
    expect(setUp()).toMatchObject({ status: 0, commands: ['ci --include=dev', 'run build'] })
    expect(setUp()).toEqual({ status: 0, stderr: '', commands: [] })
    expect(setUp('--omit=dev').commands).toEqual([])
  })

  it('installs again when the lock file changes', () => {
    setUp()
    put(
      'package-lock.json',
      JSON.stringify({ packages: { ...PACKAGES, 'node_modules/new': { version: '2.0.0' } } }),
    )
    expect(setUp().commands).toContain('ci --include=dev')
    expect(has('node_modules/new')).toBe(true)
  })

  it('ends with the output of npm if npm fails, and tries again the next time', () => {
    put('npm-fails', '')
    const { status, stderr } = setUp()
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm ci failed:\nno such package')])
    rmSync(join(checkout, 'npm-fails'))
    expect(setUp()).toMatchObject({ status: 0, commands: ['ci --include=dev', 'run build'] })
  })

  it('fails if npm left out an optional package of this host', () => {
    const native = {
      version: '1.0.0',
      optional: true,
      os: [process.platform],
      cpu: [process.arch],
      absent: true,
    }
    put('package-lock.json', JSON.stringify({ packages: { ...PACKAGES, 'node_modules/native': native } }))
    for (const _ of ['the first time', 'again']) {
      const { status, stderr } = setUp()
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('npm did not install node_modules/native'),
      ])
    }
  })

  it('lets npm clean up after a signal, and then lets another set-up start', async () => {
    put('npm-is-slow', '')
    const child = spawn(process.execPath, ['scripts/setup.mjs'], { cwd: checkout, env: environment() })
    const ended = once(child, 'close')
    await expect.poll(() => has('npm-runs')).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toEqual([143, null])
    expect(['npm-cleaned-up', '.isopod/setup.pid'].map(has)).toEqual([true, false])
    rmSync(join(checkout, 'npm-is-slow'))
    expect(setUp()).toMatchObject({ status: 0, commands: ['ci --include=dev', 'run build'] })
  })

  it('does not wait for itself if an ended set-up had the same process id', () => {
    mkdirSync(join(checkout, '.isopod'))
    const script = 'echo $$ > .isopod/setup.pid; exec "$0" scripts/setup.mjs'
    expect(start('sh', ['-c', script, process.execPath]).status).toBe(0)
  })
})

describe('the set-up of npm run demo (--omit=dev)', () => {
  it('installs no package that only tests need, and does nothing the second time', () => {
    expect(setUp('--omit=dev')).toMatchObject({ status: 0, commands: ['ci --omit=dev', 'run build'] })
    expect(['used', 'tests'].map((name) => has(`node_modules/${name}`))).toEqual([true, false])
    expect(setUp('--omit=dev')).toEqual({ status: 0, stderr: '', commands: [] })
    // Nor after a set-up that was stopped before its last step.
    rmSync(join(checkout, 'node_modules', '.isopod-lock'))
    expect(setUp('--omit=dev').commands).toEqual([])
  })

  it('is completed by a whole set-up, which deletes no package that may be in use and builds nothing again', () => {
    setUp('--omit=dev')
    put('node_modules/used/in-use', '')
    expect(setUp()).toMatchObject({ status: 0, commands: ['install --no-save --include=dev'] })
    expect(['tests', 'used/in-use'].map((path) => has(`node_modules/${path}`))).toEqual([true, true])
    expect(setUp().commands).toEqual([])
  })

  it('is done anew by a whole set-up after the lock file changed', () => {
    setUp('--omit=dev')
    put(
      'package-lock.json',
      JSON.stringify({ packages: { ...PACKAGES, 'node_modules/new': { version: '2.0.0' } } }),
    )
    expect(setUp().commands).toEqual(['ci --include=dev', 'run build'])
  })

  it('stays if npm cannot complete it', () => {
    setUp('--omit=dev')
    put('npm-fails', '')
    expect(setUp().status).toBe(1)
    expect(setUp('--omit=dev')).toEqual({ status: 0, stderr: '', commands: [] })
  })

  it('is done anew after a whole set-up that was killed, which may leave incomplete packages', () => {
    setUp('--omit=dev')
    put('all-is-killed', '')
    setUp()
    rmSync(join(checkout, 'all-is-killed'))
    expect(setUp('--omit=dev').commands).toContain('ci --omit=dev')
  })

  it('is done anew by a whole set-up after a package.json changed, which the lock file may not fit', () => {
    setUp('--omit=dev')
    put('package.json', '{ "name": "changed" }')
    expect(setUp().commands).toContain('ci --include=dev')
  })
})
