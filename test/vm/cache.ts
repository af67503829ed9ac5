import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { endMounts, stackPaths } from '@isopod/devstack'

/** Folder of the virtual machines' disks; `npm run down -- --purge` removes it with the rest of the state. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(stackPaths(env).state, 'vm')
}

/** Calls `work` with a temporary folder, which is unmounted and removed afterwards. */
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
 * The cached file or folder with this name. If it is missing, `make` builds it at another path, so that an incomplete one is
 * never used. Entries of the same `kind` with other names are outdated and removed.
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
