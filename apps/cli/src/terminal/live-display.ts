import { type JobEvent, type Result, visible } from '@isopod/protocol'
import { type Io, note, write } from '../io.ts'
import { showResult } from './show-result.ts'

/** How much text before a chunk is kept, in UTF-16 units: {@link visible} considers up to 8 characters before each one. */
const CONTEXT = 32

/** Shows the output of a program while it runs, in the same form as {@link showResult} afterwards. */
export class LiveDisplay {
  readonly #io: Io
  readonly #raw: boolean
  /** The last text shown from either stream, because both share one screen. */
  #before = ''
  #hasOutput = false

  constructor(io: Io, { raw }: { readonly raw: boolean }) {
    this.#io = io
    this.#raw = raw
  }

  async show(event: JobEvent): Promise<void> {
    switch (event.type) {
      case 'stdout':
      case 'stderr':
        this.#hasOutput = true
        await this.#write(event.type, event.text, event.raw)
        break
      case 'status':
        if (!this.#hasOutput) break
        this.#endLine()
        note(
          this.#io,
          `isopod: the program starts again (attempt ${event.attempt}); what it printed so far is void`,
        )
        break
      case 'dropped':
        this.#endLine()
        note(
          this.#io,
          `isopod: ${event.bytes} bytes of output are not shown live; without --follow, all of it is shown`,
        )
        break
      case 'test':
      case 'finished':
        break
      default:
        event satisfies never
    }
  }

  /** Shows how the program ended, and its output if none was live: that of a compiler, or of a cached result. */
  async finish(result: Result): Promise<void> {
    this.#endLine()
    const { raw: _, ...withoutOutput } = { ...result, stdout: '', stderr: '' }
    await showResult(this.#io, this.#hasOutput ? withoutOutput : result, { raw: this.#raw })
  }

  async #write(stream: 'stdout' | 'stderr', text: string, base64: string | undefined): Promise<void> {
    const output = this.#io[stream]
    const before = this.#before
    this.#before = (before + text).slice(-CONTEXT)
    if (!output.isTTY || this.#raw) {
      return await write(output, base64 === undefined ? text : Buffer.from(base64, 'base64'))
    }
    // Escapes the chunk together with the text before it, because a chunk can begin with combining marks.
    await write(output, visible(before + text).slice(visible(before).length))
  }

  /** Ends the current line of a terminal. */
  #endLine(): void {
    const { stdout, stderr } = this.#io
    if (this.#before === '' || this.#before.endsWith('\n') || !stdout.isTTY || !stderr.isTTY) return
    stderr.write('\n')
    this.#before = ''
  }
}
