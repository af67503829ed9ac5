import cliProgress from 'cli-progress'
import type { Output } from '../io.ts'

/** Shows how many jobs have ended. */
export interface DemoProgress {
  /** Counts a job that has ended; `line` has its name and status. */
  step(line: string): void
  /** Removes the bar. */
  stop(): void
}

/** A bar on a terminal, and one line per job elsewhere. */
export function startDemoProgress(output: Output, total: number): DemoProgress {
  if (!output.isTTY) {
    let ended = 0
    const width = String(total).length
    return {
      step: (line) => {
        ended += 1
        output.write(`[${String(ended).padStart(width)}/${total}] ${line}\n`)
      },
      stop: () => {},
    }
  }
  const bar = new cliProgress.SingleBar({
    stream: output,
    format: '{bar} {value}/{total} jobs · {line}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
  })
  bar.start(total, 0, { line: 'submitted' })
  return { step: (line) => bar.increment(1, { line }), stop: () => bar.stop() }
}
