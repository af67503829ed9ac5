import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../scripts/demo.mjs', import.meta.url))
const canInstall =
  process.getuid?.() === 0 &&
  (await stat('/usr/bin/apt-get').then(
    () => true,
    () => false,
  ))

/** A checkout with the real script, and short programs in place of what it runs. */
let checkout: string

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'isopod-demo-'))
  await put('package.json', '{ "type": "module" }')
  await mkdir(join(checkout, 'scripts'))
  await cp(SCRIPT, join(checkout, 'scripts', 'demo.mjs'))
  await put('scripts/setup.mjs', '')
  await put('packages/devstack/scripts/install-packages.sh', 'echo "$@" > installed\n')
  await put('deploy/images/base.sh', 'echo files\n')
  await put(
    'apps/cli/bin/isopod.js',
    `import { readFileSync } from 'node:fs'
     const read = (file) => { try { return readFileSync(file, 'utf8') } catch {} }
     console.log(JSON.stringify({ words: process.argv.slice(2), base: read('.isopod/base.tar') }))
     process.exitCode = 7`,
  )
})

afterEach(() => rm(checkout, { recursive: true, force: true }))

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(checkout, file)), { recursive: true })
  await writeFile(join(checkout, file), text)
}

function start(words: readonly string[]) {
  const { ISOPOD_DRIVER, ISOPOD_STATE_DIR, ISOPOD_ROOTS_DIR, ...env } = process.env
  const child = spawn(process.execPath, ['scripts/demo.mjs', ...words], { cwd: checkout, env })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  return { child, output, ended }
}

const has = (file: string) =>
  stat(join(checkout, file)).then(
    () => true,
    () => false,
  )

describe('npm run demo', () => {
  it('sets up, then passes its options to the demo, whose exit code is its own', async () => {
    const { code, stdout } = await start(['--json']).ended
    expect(JSON.parse(stdout)).toEqual({ words: ['demo', '--json'] })
    expect(code).toBe(7)
    expect(await has('installed')).toBe(false)
  })

  it('installs no package that only tests need', async () => {
    await put('scripts/setup.mjs', `console.log(process.argv.slice(2).join()); process.exitCode = 3`)
    expect(await start([]).ended).toMatchObject({ code: 3, stdout: '--omit=dev\n' })
  })

  it('does not run after a set-up that failed', async () => {
    await put('scripts/setup.mjs', 'process.exitCode = 3')
    expect(await start([]).ended).toMatchObject({ code: 3, stdout: '' })
  })
})

describe('npm run demo with the process driver', () => {
  it('makes the base image meanwhile, and leaves no archive', async (context) => {
    context.skip(!canInstall, 'needs root and apt-get')
    for (const words of [['--driver', 'process'], ['--driver=process']]) {
      const { stdout } = await start(words).ended
      expect(JSON.parse(stdout)).toEqual({ words: ['demo', ...words], base: 'files\n' })
      expect(await has('.isopod/base.tar')).toBe(false)
    }
    expect(await readFile(join(checkout, 'installed'), 'utf8')).toContain('mmdebstrap')
  })

  it('makes none where roots were built before', async (context) => {
    context.skip(!canInstall, 'needs root and apt-get')
    await mkdir(join(checkout, '.isopod', 'roots'), { recursive: true })
    expect(JSON.parse((await start(['--driver', 'process']).ended).stdout)).not.toHaveProperty('base')
    expect(await has('installed')).toBe(false)
  })

  it('runs without it if it cannot be made', async (context) => {
    context.skip(!canInstall, 'needs root and apt-get')
    await put('deploy/images/base.sh', 'echo half; exit 1\n')
    const { code, stdout } = await start(['--driver', 'process']).ended
    expect(JSON.parse(stdout)).not.toHaveProperty('base')
    expect(code).toBe(7)
  })

  it('ends with the code of a signal that comes when only the base image is missing', async (context) => {
    context.skip(!canInstall, 'needs root and apt-get')
    await put('packages/devstack/scripts/install-packages.sh', 'touch begun; sleep 1; exit 1\n')
    const { child, ended } = start(['--driver', 'process'])
    await expect.poll(() => has('begun')).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 300))
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143, stdout: '' })
  })

  it.for([
    ['a signal', 'setTimeout(() => {}, 60_000)', 143],
    [
      'a set-up that fails',
      `import { existsSync } from 'node:fs'
       process.exitCode = 3
       const wait = setInterval(() => existsSync('begun') && clearInterval(wait), 20)`,
      3,
    ],
  ] as const)('ends mmdebstrap and its parts after %s', async ([what, setup, code], context) => {
    context.skip(!canInstall, 'needs root and apt-get')
    await put('scripts/setup.mjs', setup)
    await put('deploy/images/base.sh', 'trap "touch cleaned; exit 1" TERM\ntouch begun; sleep 60\n')
    const { child, ended } = start(['--driver', 'process'])
    await expect.poll(() => has('begun')).toBe(true)
    if (what === 'a signal') child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code, stdout: '' })
    // A shell runs a trap only after its child has ended: 60 seconds later if the signal had not reached that.
    expect(await has('cleaned')).toBe(true)
    expect(await has('.isopod/base.tar')).toBe(false)
  })
})
