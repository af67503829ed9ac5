import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unpackCorpus } from './corpus.ts'
import { SEEDS, seedBytes } from './seeds.ts'

const fuzz = fileURLToPath(new URL('../../fuzz', import.meta.url))
const compiler = process.env['CC'] ?? 'cc'

/** Result of one input: init's exit code and output. */
export interface Replayed {
  readonly name: string
  readonly exitCode: number
  readonly sent: Uint8Array
}

/** Why the harness cannot be compiled here; undefined if it can. */
export function missingForReplay(): string | undefined {
  if (process.platform !== 'linux') return 'init is for Linux only'
  const probe = [...'-fsanitize=address,undefined -x c - -o /dev/null'.split(' ')]
  const { status, error } = spawnSync(compiler, probe, { input: 'int main(void) { return 0; }\n' })
  if (error !== undefined) return `there is no C compiler (${compiler})`
  return status === 0 ? undefined : `${compiler} has no address and undefined-behaviour sanitizers`
}

/** A folder with the compiled harness and all inputs: the corpus and the seeds. */
export class Harness implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'isopod-fuzz-'))
  /** Number of inputs of the corpus, without the seeds. */
  readonly corpusSize: number
  readonly #inputs = join(this.folder, 'inputs')

  constructor() {
    mkdirSync(this.#inputs)
    unpackCorpus(this.#inputs)
    this.corpusSize = readdirSync(this.#inputs).length
    for (const [name, seed] of Object.entries(SEEDS)) this.add(`seed-${name}`, seedBytes(seed))
    const built = spawnSync('sh', [join(fuzz, 'build.sh'), 'replay', join(this.folder, 'replay')])
    if (built.status !== 0) throw new Error(`the harness does not compile: ${built.stderr}`)
  }

  /** Adds one input. */
  add(name: string, bytes: Uint8Array): void {
    writeFileSync(join(this.#inputs, name), bytes)
  }

  /** Runs all inputs. @throws with the sanitizer's report or the violated property */
  replay(): Replayed[] {
    const out = join(this.folder, 'out')
    mkdirSync(out)
    const inputs = readdirSync(this.#inputs).map((name) => join(this.#inputs, name))
    const ran = spawnSync(join(this.folder, 'replay'), [out, ...inputs], {
      env: { ASAN_OPTIONS: 'detect_leaks=0' },
    })
    if (ran.status !== 0) throw new Error(`replay ended with ${ran.status ?? ran.signal}: ${ran.stderr}`)
    return [...ran.stdout.toString().matchAll(/^(\d+) (.+)$/gm)].map(([, exitCode, name = '']) => ({
      name,
      exitCode: Number(exitCode),
      sent: readFileSync(join(out, name)),
    }))
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
