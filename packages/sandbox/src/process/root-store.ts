import { execFile } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { INIT_DIRECTORY, WORKSPACE } from '../driver/confinement.ts'
import { ImageFaultError } from '../driver/faults.ts'
import { isAbandoned, ownedName } from '../owned-name.ts'
import { compareWithManifest, type RootHeader, readHeader, writeManifest } from './root-manifest.ts'
import { DIGEST, referenceFile, referenceOfFile, rootDirectory } from './roots.ts'

/** Directories on which a sandbox mounts something. */
const MOUNT_POINTS = [WORKSPACE, INIT_DIRECTORY, '/tmp', '/dev', '/proc', '/sys'] as const
const MANIFEST = 'manifest'
/** What is not complete yet, or is being removed. */
const INCOMING = 'incoming'

/** A root of this host. */
export interface StoredRoot {
  readonly digest: string
  /** Images that it is; none once all of them have got newer roots. */
  readonly references: readonly string[]
  /** Bytes of all files. */
  readonly bytes: number
  /** Epoch milliseconds. */
  readonly madeAt: number
  /** Fingerprint of what its image was built from, if the image says so. */
  readonly content?: string
}

/** Options of {@link RootStore.add}. */
export interface NewRoot {
  readonly reference: string
  /** Content digest of the image (`sha256:…`). */
  readonly digest: string
  /** Fingerprint of what the image was built from. */
  readonly content?: string | undefined
  /** Unpacks the image into an empty directory. Called only if the host has no root with this digest. */
  readonly unpack: (directory: string) => Promise<void>
}

/**
 * The directory with the roots of this host: it adds, lists, verifies and removes them. Several processes may use it at the same time.
 */
export class RootStore {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Whether a reference means this digest, and the host has its root. */
  async has(reference: string, digest: string): Promise<boolean> {
    return (await this.#digestOf(reference)) === digest && (await this.#isStored(digest))
  }

  /**
   * Makes a root, whole or not at all, and lets the reference mean it.
   *
   * @returns whether it was unpacked; false if the host had it
   * @throws {ImageFaultError} if a mount point of sandboxes is no directory in the image
   */
  async add(root: NewRoot): Promise<boolean> {
    const { reference, digest } = root
    await mkdir(join(this.#directory, 'references'), { recursive: true, mode: 0o755 })
    await this.#removeLeftovers()
    const isNew = !(await this.#isStored(digest))
    if (isNew) await this.#store(root)
    const draft = join(this.#directory, ownedName(INCOMING))
    await writeFile(draft, `${digest}\n`)
    // The root has its name by now, on the same file system.
    await writeBack(draft)
    await rename(draft, referenceFile(this.#directory, reference))
    return isNew
  }

  /** All roots whose manifest can be read, by their first reference. */
  async list(): Promise<StoredRoot[]> {
    const references = await this.#references()
    const roots: StoredRoot[] = []
    for (const name of await entries(this.#directory)) {
      const header = await this.#headerOf(name.replace('-', ':'))
      if (header === undefined) continue
      const { digest, bytes, madeAt, content } = header
      const own = references.filter((each) => each.digest === digest).map(({ reference }) => reference)
      roots.push({ digest, references: own.sort(), bytes, madeAt, ...(content && { content }) })
    }
    const key = ({ references: [first = '~'], digest }: StoredRoot) => `${first} ${digest}`
    return roots.sort((one, other) => (key(one) < key(other) ? -1 : 1))
  }

  /** Compares a root with the files that were unpacked. @returns one sentence part per difference: `changed /usr/bin/python3` */
  async verify(digest: string): Promise<string[]> {
    const directory = rootDirectory(this.#directory, digest)
    return await compareWithManifest(join(directory, 'files'), join(directory, MANIFEST))
  }

  /**
   * Removes a reference, and its root unless another reference means it. No sandbox may be using it.
   *
   * @returns false if there is no such reference
   */
  async remove(reference: string): Promise<boolean> {
    const digest = await this.#digestOf(reference)
    if (digest === undefined) return false
    await rm(referenceFile(this.#directory, reference), { force: true })
    if ((await this.#references()).some((other) => other.digest === digest)) return true
    await this.removeRoot(digest)
    return true
  }

  /** Removes a root that no reference means. */
  async removeRoot(digest: string): Promise<void> {
    const leaving = join(this.#directory, ownedName(INCOMING))
    const isThere = await rename(rootDirectory(this.#directory, digest), leaving).then(
      () => true,
      () => false,
    )
    if (isThere) await rm(leaving, { recursive: true, force: true })
  }

  async #store({ reference, digest, content, unpack }: NewRoot): Promise<void> {
    const incoming = join(this.#directory, ownedName(INCOMING))
    try {
      const files = join(incoming, 'files')
      await mkdir(files, { recursive: true })
      await unpack(files)
      await prepareRoot(files, reference)
      await writeManifest(files, { digest, content }, join(incoming, MANIFEST))
      await chmod(incoming, 0o755)
      await writeBack(incoming)
      const place = rootDirectory(this.#directory, digest)
      await rename(incoming, place).catch(async (error: unknown) => {
        if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
        // Another process was faster, or what is there lost its manifest.
        if (await this.#isStored(digest)) return
        await this.removeRoot(digest)
        await rename(incoming, place)
      })
    } finally {
      await rm(incoming, { recursive: true, force: true })
    }
  }

  async #removeLeftovers(): Promise<void> {
    for (const name of await entries(this.#directory)) {
      if (!isAbandoned(INCOMING, name)) continue
      // A tar of the killed process may still unpack for a moment.
      await rm(join(this.#directory, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    }
  }

  async #references(): Promise<{ reference: string; digest: string }[]> {
    const found: { reference: string; digest: string }[] = []
    for (const name of await entries(join(this.#directory, 'references'))) {
      const reference = referenceOfFile(name)
      const digest = reference === undefined ? undefined : await this.#digestOf(reference)
      if (reference !== undefined && digest !== undefined) found.push({ reference, digest })
    }
    return found
  }

  async #digestOf(reference: string): Promise<string | undefined> {
    const text = await readFile(referenceFile(this.#directory, reference), 'utf8').catch(() => undefined)
    return text?.trim()
  }

  async #isStored(digest: string): Promise<boolean> {
    return (await this.#headerOf(digest)) !== undefined
  }

  async #headerOf(digest: string): Promise<RootHeader | undefined> {
    if (!DIGEST.test(digest)) return undefined
    return await readHeader(join(rootDirectory(this.#directory, digest), MANIFEST))
  }
}

/** Writes a file system to its disk, so that after a loss of power a name means whole files. Node can do it for single files only. */
async function writeBack(path: string): Promise<void> {
  await promisify(execFile)('sync', ['-f', path])
}

/** Makes the mount points of a sandbox, which cannot be made in a read-only root. */
async function prepareRoot(files: string, reference: string): Promise<void> {
  for (const point of MOUNT_POINTS) {
    const stats = await lstat(join(files, point)).catch(() => undefined)
    if (stats === undefined) await mkdir(join(files, point), { mode: 0o755 })
    else if (!stats.isDirectory()) {
      const kind = stats.isSymbolicLink() ? 'a symbolic link' : 'not a directory'
      throw new ImageFaultError(`image ${reference} cannot be a root: ${point} is ${kind} in it`)
    }
  }
  if (process.getuid?.() === 0) await chown(files, 0, 0)
  await chmod(files, 0o755)
}

async function entries(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => [])
}
