import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKOUT } from '@isopod/devstack'
import { makeDisk } from './disk.ts'

const SIZE_MB = 512
/** What the guest has on a disk of its own, makes itself, or has no use for. */
const NOT_TAKEN = /^(node_modules|\.git|\.isopod|docs\/benchmarks)$|(^|\/)(\.turbo|node_modules)$/

/** Packs this checkout with its build, as it is now, into a disk at `path`. */
export async function makeRepo(path: string, scratch: string): Promise<void> {
  const folder = join(scratch, 'repo')
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  // One by one: the scratch folder may lie within the checkout, and no folder is copied into itself.
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
