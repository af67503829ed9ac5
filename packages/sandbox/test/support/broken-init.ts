import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const NATIVE = fileURLToPath(new URL('../../../init/native', import.meta.url))
const CACHED_CC = fileURLToPath(new URL('cached-cc.sh', import.meta.url))
const COMPILER = process.env['CC'] ?? 'cc'

/** Whether this machine has a C compiler; without one, init was copied from an image. */
export const canCompile = spawnSync(COMPILER, ['--version']).status === 0

/** One change of init's source: C file, text that occurs in it exactly once, and its replacement. */
export type Defect = readonly [file: `${string}.c`, from: string, to: string]

/** Builds copies of init with defects. Source files without a defect are compiled only once. */
export class BrokenInits {
  readonly #folder: string
  readonly #built = new Map<readonly Defect[], Promise<string>>()
  #last: Promise<unknown>

  /** @param folder an empty folder that the test owns */
  constructor(folder: string) {
    this.#folder = folder
    this.#last = cp(NATIVE, this.#objects, { recursive: true })
  }

  /**
   * @returns the folder to mount where a container expects init
   * @throws {Error} if a defect no longer matches the source, or the compiler refuses it
   */
  with(defects: readonly Defect[]): Promise<string> {
    const known = this.#built.get(defects)
    if (known !== undefined) return known
    // One build at a time, so that two builds do not compile the same source file.
    const build = this.#last.then(() => this.#build(defects))
    this.#built.set(defects, build)
    this.#last = build.catch(() => {})
    return build
  }

  get #objects(): string {
    return join(this.#folder, 'objects')
  }

  async #build(defects: readonly Defect[]): Promise<string> {
    const folder = await mkdtemp(join(this.#folder, 'init-'))
    const sources = join(folder, 'native')
    await cp(NATIVE, sources, { recursive: true })
    for (const [file, from, to] of defects) {
      const path = join(sources, file)
      const parts = (await readFile(path, 'utf8')).split(from)
      if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`)
      await writeFile(path, parts.join(to))
    }
    await chmod(folder, 0o755)
    const compiler = spawn('sh', [join(sources, 'build.sh'), join(folder, 'init'), sources], {
      env: { ...process.env, CC: `sh ${CACHED_CC}`, COMPILER, NATIVE, OBJECTS: this.#objects },
    })
    const [stderr, [code]] = await Promise.all([text(compiler.stderr), once(compiler, 'close')])
    if (code !== 0) throw new Error(`init was not built: ${stderr}`)
    return folder
  }
}
