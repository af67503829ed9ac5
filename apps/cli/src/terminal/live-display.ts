import { type JobEvent, type Result, visible } from '@isopod/protocol'
import { type Io, note, write } from '../io.ts'
import { showResult } from './show-result.ts'

/** How much text before a chunk is kept, in UTF-16 units: {@link visible} judges a character by up to 8 before it. */
const CONTEXT = 32

/** Shows what a program prints while it runs, each stream where it belongs, as {@link showResult} shows it afterwards. */
export class LiveDisplay {
  readonly #io: Io
  readonly #raw: boolean
  /** The end of what was shown, of both streams: they share one screen. */
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
        note(this.#io, `isopod: ${event.bytes} bytes of output are not shown live; without --follow all is`)
        break
      case 'test':
      case 'finished':
        break
      default:
        event satisfies never
    }
  }

  /** Shows how the program ended, and its output if none of it came live: a compiler's, say, or that of a job from the cache. */
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
    // What comes in small pieces is shown as if it came at once: a pile of marks, say.
    await write(output, visible(before + text).slice(visible(before).length))
  }

  /** Has what follows on a screen begin on a line of its own. */
  #endLine(): void {
    const { stdout, stderr } = this.#io
    if (this.#before === '' || this.#before.endsWith('\n') || !stdout.isTTY || !stderr.isTTY) return
    stderr.write('\n')
    this.#before = ''
  }
}
