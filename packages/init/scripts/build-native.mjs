// Compiles native/ to build/isopod-init-<arch>, unless it is there from these very sources.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const native = join(root, 'native')
const output = join(root, 'build', `isopod-init-${process.arch}`)
const stamp = `${output}.sources`

const sources = createHash('sha256')
for (const name of readdirSync(native).sort()) {
  sources.update(`${name}\0`).update(readFileSync(join(native, name)))
}
const digest = sources.digest('hex')

const compiler = process.env.CC ?? 'cc'
if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) {
  // Nothing has changed.
} else if (process.platform !== 'linux' || spawnSync(compiler, ['--version']).status !== 0) {
  console.log(`init: no C compiler for Linux here (${compiler}); packages/init/Dockerfile builds it instead`)
} else {
  mkdirSync(join(root, 'build'), { recursive: true })
  const built = spawnSync('sh', [join(native, 'build.sh'), output], { stdio: 'inherit' })
  if (built.status === 0) writeFileSync(stamp, digest)
  process.exitCode = built.status ?? 1
}
