// Compiles native/ to build/isopod-init-<arch>, and spawner/ and probe/ likewise, unless they are there from these
// very sources.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = process.env.CC ?? 'cc'

const programs = { init: 'native', spawner: 'spawner', probe: 'probe' }
await Promise.all(Object.entries(programs).map(([program, folder]) => build(program, join(root, folder))))

async function build(program, sources) {
  const output = join(root, 'build', `isopod-${program}-${process.arch}`)
  const stamp = `${output}.sources`
  const digest = digestOf(sources)
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  if (process.platform !== 'linux' || spawnSync(compiler, ['--version']).status !== 0) {
    console.log(
      `${program}: no C compiler for Linux here (${compiler}); packages/init/Dockerfile builds it instead`,
    )
    return
  }
  mkdirSync(join(root, 'build'), { recursive: true })
  const script = join(root, 'native', 'build.sh')
  const [status] = await once(spawn('sh', [script, output, sources], { stdio: 'inherit' }), 'close')
  if (status === 0) writeFileSync(stamp, digest)
  else process.exitCode = 1
}

function digestOf(sources) {
  const hash = createHash('sha256')
  for (const name of globSync('**/*.*', { cwd: sources }).sort()) {
    hash.update(`${name}\0`).update(readFileSync(join(sources, name)))
  }
  return hash.digest('hex')
}
