// Makes roots of unpacked images: make-roots.mjs <folder with OWNER/NAME:TAG> <directory of roots>
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { RootStore } from '@isopod/sandbox'

const [images, directory] = process.argv.slice(2)
const store = new RootStore(directory)

for (const owner of readdirSync(images)) {
  for (const name of readdirSync(join(images, owner))) {
    const from = join(images, owner, name)
    const unpack = (to) => end(spawn('cp', ['--archive', `${from}/.`, to]))
    await store.add({ reference: `${owner}/${name}`, digest: await digestOf(from), unpack })
  }
}

/** A digest of the content, as an archive without times: a build does not know the image's own. */
async function digestOf(folder) {
  const options = ['--sort=name', '--mtime=@0', '--numeric-owner', '--directory', folder]
  const tar = spawn('tar', ['--create', ...options, '.'])
  const hash = createHash('sha256')
  await Promise.all([pipeline(tar.stdout, hash), end(tar)])
  return `sha256:${hash.digest('hex')}`
}

async function end(program) {
  program.stderr.pipe(process.stderr)
  const [code] = await once(program, 'exit')
  if (code !== 0) throw new Error(`${program.spawnfile} ended with exit code ${code}`)
}
