import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKOUT } from '@isopod/devstack'
import { makeDisk } from './disk.ts'

const SIZE_MB = 512
/** Files that the guest has on another disk, makes itself, or does not need. */
const NOT_TAKEN = /^(node_modules|\.git|\.isopod|docs\/benchmarks)$|(^|\/)node_modules$/

/** Makes a disk at `path` with this checkout and its build. */
export async function makeRepo(path: string, scratch: string): Promise<void> {
  const folder = join(scratch, 'repo')
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  // Entry by entry, because the scratch folder can be inside the checkout.
  for (const name of await readdir(CHECKOUT)) {
    if (NOT_TAKEN.test(name)) continue
    await cp(join(CHECKOUT, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !NOT_TAKEN.test(source.slice(CHECKOUT.length + 1)),
    })
  }
  await makeDisk(path, { label: 'isopod-repo', folder, sizeMb: SIZE_MB })
  await rm(folder, { recursive: true, force: true })
}
