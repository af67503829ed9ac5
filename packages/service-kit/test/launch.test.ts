import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'

const LAUNCH = new URL('../dist/launch.js', import.meta.url)

/** Starts a main module through the launcher; the module prints its process id, arguments and environment. */
async function launch(env: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-launch-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const main = join(folder, 'main.mjs')
  const launcher = join(folder, 'launcher.mjs')
  await writeFile(
    main,
    `const { pid, argv, execArgv, env } = process
    process.on('SIGTERM', () => process.exit(7))
    console.log(JSON.stringify({ pid, words: argv.slice(2), execArgv, arenas: env.MALLOC_ARENA_MAX }))
    setInterval(() => {}, 1000)`,
  )
  await writeFile(
    launcher,
    `import { launchService } from '${LAUNCH}'\nlaunchService(new URL('main.mjs', import.meta.url))`,
  )
  const child = spawn(process.execPath, [launcher, 'self-test'], { env: { ...process.env, ...env } })
  const errors = text(child.stderr)
  const [line] = await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  return { child, code, errors: await errors, seen: JSON.parse(String(line)) }
}

it('launchService replaces its own process, so the service has its pid, arguments and signals', async () => {
  const { child, code, errors, seen } = await launch()
  expect(seen).toMatchObject({ pid: child.pid, words: ['self-test'] })
  expect({ code, errors }).toEqual({ code: 7, errors: '' })
})

it('launchService sets memory options of Node and glibc; the operator can override the number of arenas', async () => {
  const { seen } = await launch({ MALLOC_ARENA_MAX: undefined })
  expect(seen.execArgv).toEqual(expect.arrayContaining(['--max-old-space-size=1024', '--no-maglev']))
  expect(seen.arenas).toBe('1')
  expect((await launch({ MALLOC_ARENA_MAX: '4' })).seen.arenas).toBe('4')
})
