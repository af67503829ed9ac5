import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../log.ts'
import { makePaths, type Paths, stackPaths } from '../paths.ts'
import { type CommandOutcome, lastLines, runCommand, tryCommand } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { installPackages } from '../system-packages.ts'
import { bootstrapBase, LOCAL_BASE } from './bootstrap-base.ts'
import type { Base, ImageBuilder } from './image-builder.ts'
import type { BuiltImage } from './image-list.ts'

/** Buildah's names of images that came from no registry begin with it. */
const LOCAL = 'localhost/'
/** Without an engine: programs of the Dockerfile run in a chroot with namespaces, and no image comes from a registry. */
const BUILD = ['bud', '--isolation', 'chroot', '--layers=false', '--pull=never', '--force-rm'] as const

interface BuildahImage {
  readonly FromImageID: string
  readonly OCIv1: { readonly config?: { readonly Labels?: Readonly<Record<string, string>> } }
}

interface BuildahOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
}

/** Builds images without an engine, from the same Dockerfiles, with Debian's buildah in a storage of this checkout. */
export class BuildahBuilder implements ImageBuilder {
  readonly #paths: Paths
  readonly #options: BuildahOptions

  private constructor(paths: Paths, options: BuildahOptions) {
    this.#paths = paths
    this.#options = options
  }

  /**
   * Installs buildah if it is missing, and removes what a killed build has left. Call it with the lock of the storage held.
   *
   * @throws {SetupError} if buildah cannot be installed or does not work
   */
  static async open(options: BuildahOptions): Promise<BuildahBuilder> {
    const paths = stackPaths(options.env)
    await installPackages(['buildah', 'debootstrap'], options.log, options.env)
    await makePaths(paths)
    await mkdir(paths.buildah, { recursive: true, mode: 0o700 })
    await writeFile(storageFile(paths), storageSettings(paths))
    const builder = new BuildahBuilder(paths, options)
    await rm(temporary(paths), { recursive: true, force: true })
    await mkdir(temporary(paths), { mode: 0o700 })
    await builder.run(['rm', '--all'])
    return builder
  }

  async find(tag: string): Promise<BuiltImage | undefined> {
    const { exitCode, stdout } = await this.try(['inspect', '--type', 'image', this.reference(tag)])
    if (exitCode !== 0) return undefined
    const { FromImageID, OCIv1 } = JSON.parse(stdout) as BuildahImage
    return { id: `sha256:${FromImageID}`, tags: [tag], labels: OCIv1.config?.Labels ?? {} }
  }

  async localBase(): Promise<Base | undefined> {
    const found = await this.find(LOCAL_BASE)
    return found && { tag: LOCAL_BASE, id: found.id }
  }

  async base(): Promise<Base> {
    const { env, log } = this.#options
    const known = await this.localBase()
    if (known !== undefined) return known
    await bootstrapBase(LOCAL_BASE, {
      ...{ env, log },
      take: (tar) => this.#addBase(tar),
      drop: () => this.remove(this.reference(LOCAL_BASE)),
    })
    const made = await this.localBase()
    if (made !== undefined) return made
    throw new SetupError('buildah does not keep the base image that it was given')
  }

  async build(words: readonly string[], dockerfile?: string): Promise<CommandOutcome> {
    if (dockerfile === undefined) return await this.try([...BUILD, ...words])
    const file = join(temporary(this.#paths), `Dockerfile-${randomUUID()}`)
    await writeFile(file, dockerfile)
    return await this.try([...BUILD, '--file', file, ...words])
  }

  reference(tag: string): string {
    // Otherwise buildah would look for registries that have it.
    return `${LOCAL}${tag}`
  }

  async remove(image: string): Promise<void> {
    await this.try(['rmi', image.replace('sha256:', '')])
  }

  async architecture(): Promise<string> {
    return process.arch
  }

  /**
   * Moves all files but those in /dev out of a container that is about to be removed, with their owners if this user may give
   * files away.
   */
  async moveFiles(container: string, directory: string): Promise<void> {
    if (process.getuid?.() === 0) {
      const files = await this.run(['mount', container])
      // Within one file system that takes no time.
      const all = [files, '-mindepth', '1', '-maxdepth', '1', '!', '-name', 'dev'] as const
      await runCommand(['find', ...all, '-exec', 'mv', '-t', directory, '{}', '+'])
      return
    }
    // Only in its user namespace can this user read all of the files.
    const script = 'cp -R --preserve=mode,timestamps,links "$files/." "$1" && rm -rf "$1"/dev/*'
    await this.run(['unshare', '--mount', `files=${container}`, '--', 'sh', '-c', script, 'sh', directory])
  }

  /** Runs one command of buildah. @throws {SetupError} with the end of its output */
  async run(words: readonly string[]): Promise<string> {
    const { exitCode, stdout, output } = await this.try(words)
    if (exitCode === 0) return stdout.trim()
    throw new SetupError(`"buildah ${words.join(' ')}" failed: ${lastLines(output, 6)}`)
  }

  /** Runs one command of buildah, and returns how it ended. */
  try(words: readonly string[]): Promise<CommandOutcome> {
    const env = {
      ...this.#options.env,
      CONTAINERS_STORAGE_CONF: storageFile(this.#paths),
      TMPDIR: temporary(this.#paths),
    }
    return tryCommand(['buildah', ...words], { env })
  }

  /** A Dockerfile cannot add what comes through a pipe, so the archive becomes a file of the context. */
  async #addBase(tar: Readable): Promise<CommandOutcome> {
    const context = join(temporary(this.#paths), 'base')
    await mkdir(context)
    await pipeline(tar, createWriteStream(join(context, 'base.tar')))
    const dockerfile = 'FROM scratch\nADD base.tar /\nCMD ["bash"]\nLABEL isopod.content=base\n'
    const outcome = await this.build(['--tag', LOCAL_BASE, context], dockerfile)
    await rm(context, { recursive: true, force: true })
    return outcome
  }
}

function storageFile(paths: Paths): string {
  return join(paths.buildah, 'storage.conf')
}

function temporary(paths: Paths): string {
  return join(paths.buildah, 'temporary')
}

/** The driver `vfs` copies files and mounts nothing: it works on every file system, for every user, and leaves no mounts behind. */
function storageSettings(paths: Paths): string {
  const [graph, run] = [join(paths.buildah, 'storage'), join(paths.runtime, 'buildah')]
  return `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${run}"\nrootless_storage_path = "${graph}"\n`
}
