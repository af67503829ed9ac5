import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { endMounts, stackPaths } from '@isopod/devstack'

/** Where the virtual machines' disks are kept; `npm run down -- --purge` removes it with the rest of the state. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(stackPaths(env).state, 'vm')
}

/** A folder for what is made on the way. `work` gets its path; it is unmounted and removed however that ends. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(cacheFolder(), `scratch-${process.pid}`)
  await mkdir(folder, { recursive: true, mode: 0o755 })
  try {
    return await work(folder)
  } finally {
    await endMounts([folder])
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The kept file or folder of this name; `make` makes it at another path if it is not there, so that half a one is never
 * taken for a whole. Those of the same `kind` under other names are out of date and go.
 */
export async function cached(
  kind: string,
  fingerprint: string,
  make: (path: string) => Promise<void>,
): Promise<string> {
  const folder = cacheFolder()
  const path = join(folder, `${kind}-${fingerprint}`)
  if (await isThere(path)) return path
  const draft = `${path}.draft`
  await rm(draft, { recursive: true, force: true })
  try {
    await make(draft)
    await rename(draft, path)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  const others = (await readdir(folder)).filter((name) => name.startsWith(`${kind}-`) && !path.endsWith(name))
  for (const name of others) await rm(join(folder, name), { recursive: true, force: true })
  return path
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
