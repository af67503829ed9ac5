// Compiles native/ to build/isopod-init-<arch>, and spawner/ and probe/ likewise, unless they are there from these
// very sources.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = process.env.CC ?? 'cc'

for (const [program, folder] of [
  ['init', 'native'],
  ['spawner', 'spawner'],
  ['probe', 'probe'],
]) {
  const sources = join(root, folder)
  const output = join(root, 'build', `isopod-${program}-${process.arch}`)
  const stamp = `${output}.sources`
  const digest = digestOf(sources)
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) continue
  if (process.platform !== 'linux' || spawnSync(compiler, ['--version']).status !== 0) {
    console.log(
      `${program}: no C compiler for Linux here (${compiler}); packages/init/Dockerfile builds it instead`,
    )
    continue
  }
  mkdirSync(join(root, 'build'), { recursive: true })
  const built = spawnSync('sh', [join(root, 'native', 'build.sh'), output, sources], { stdio: 'inherit' })
  if (built.status !== 0) process.exit(built.status ?? 1)
  writeFileSync(stamp, digest)
}

function digestOf(sources) {
  const hash = createHash('sha256')
  for (const name of globSync('**/*.*', { cwd: sources }).sort()) {
    hash.update(`${name}\0`).update(readFileSync(join(sources, name)))
  }
  return hash.digest('hex')
}
