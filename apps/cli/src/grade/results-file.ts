import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { draftOf, writeAtomically } from './write-file.ts'

/**
 * The results file of a batch. Each row is written when its result comes, so that an interruption loses none; at the end the
 * file is replaced by one in the order of the samples. An earlier file stays until the first new result: until then the rows,
 * which repeat an earlier run's, are in a draft.
 */
export class ResultsFile {
  readonly #path: string
  #file: FileHandle | undefined
  #isDraft = true

  constructor(path: string) {
    this.#path = path
  }

  /** @param isNew false for a result of an earlier run */
  async add(row: string, isNew: boolean): Promise<void> {
    this.#file ??= await open(draftOf(this.#path), 'w')
    await this.#file.writeFile(row)
    if (!isNew || !this.#isDraft) return
    await rename(draftOf(this.#path), this.#path)
    this.#isDraft = false
  }

  /** Writes all rows in their order. */
  async finish(rows: AsyncIterable<string>): Promise<void> {
    await this.close()
    await writeAtomically(this.#path, rows)
  }

  /** Keeps what was written for new results, and removes a draft. */
  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
    if (file !== undefined && this.#isDraft) await rm(draftOf(this.#path), { force: true })
  }
}
