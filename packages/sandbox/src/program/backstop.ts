import type { Container } from '../driver/container.ts'

/** How long the worker waits beyond the time limit for init to report the end, in milliseconds. */
const LATE_MS = 5_000
/** How long a report may be on its way through a worker or an engine that has just continued, in milliseconds. */
const ON_ITS_WAY_MS = 1_000

/**
 * Ends a run that init should have ended long ago. First it asks the container's host: if that does not answer, the missing report
 * says nothing about the program.
 */
export class Backstop {
  readonly #container: Pick<Container, 'confirmRunning'>
  readonly #end: (fault: Error | undefined) => void
  #timer: NodeJS.Timeout
  #stopped = false

  /**
   * @param wallMs the run's time limit, in milliseconds
   * @param end ends the run; gets the host's fault, if there is one
   */
  constructor(
    container: Pick<Container, 'confirmRunning'>,
    wallMs: number,
    end: (fault: Error | undefined) => void,
  ) {
    this.#container = container
    this.#end = end
    this.#timer = setTimeout(() => void this.#askHost(), wallMs + LATE_MS)
  }

  /** Does nothing from now on: the run is over. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #askHost(): Promise<void> {
    const fault = await this.#container.confirmRunning().then(
      () => undefined,
      (error: Error) => error,
    )
    if (this.#stopped) return
    this.#timer = setTimeout(() => this.#end(fault), fault === undefined ? ON_ITS_WAY_MS : 0)
  }
}
