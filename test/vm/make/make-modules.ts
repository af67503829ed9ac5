import { copyFile, globSync } from 'node:fs'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { CHECKOUT, contentHash, runCommand } from '@isopod/devstack'
import { cached, inScratch } from '../cache.ts'
import type { VmArchitecture } from '../machine.ts'
import { makeDisk } from './disk.ts'

const SIZE_MB = 1536
/** Large packages that only development needs. */
const NOT_NEEDED = /^node_modules\/(@biomejs|node-linux-[^/]+\/(include|share))(\/|$)/

/** Makes a disk with node_modules: this checkout's, or for another processor those that npm installs for it. */
export async function makeModules(
  architecture: VmArchitecture,
  log: (line: string) => void,
): Promise<string> {
  const lock = await readFile(join(CHECKOUT, 'package-lock.json'), 'utf8')
  const fingerprint = await contentHash([], [lock, String(SIZE_MB)])
  return await cached(`modules-${architecture}`, fingerprint, async (path) => {
    await inScratch(async (scratch) => {
      const from = architecture === process.arch ? CHECKOUT : await installElsewhere(scratch, architecture)
      log(`packing the packages for ${architecture} into a disk`)
      const folder = join(scratch, 'disk')
      await cp(join(from, 'node_modules'), folder, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (source) => !NOT_NEEDED.test(source.slice(from.length + 1)),
      })
      await makeDisk(path, { label: 'isopod-modules', folder, sizeMb: SIZE_MB })
    })
  })
}

/** Installs the lock file's packages for another processor. Resolves with their folder. */
async function installElsewhere(scratch: string, architecture: VmArchitecture): Promise<string> {
  const folder = join(scratch, 'install')
  const manifests = globSync('{package.json,package-lock.json,{packages,apps}/*/package.json}', {
    cwd: CHECKOUT,
  })
  for (const file of manifests) {
    await mkdir(join(folder, dirname(file)), { recursive: true })
    await promisify(copyFile)(join(CHECKOUT, file), join(folder, file))
  }
  const words = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const target = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc']
  await runCommand(['npm', 'ci', ...words, ...target], { cwd: folder })
  return folder
}
