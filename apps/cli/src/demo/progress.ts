import cliProgress from 'cli-progress'
import type { Output } from '../io.ts'

/** Shows how many jobs have ended. */
export interface Progress {
  /** Another job has ended; `line` says which and how. */
  step(line: string): void
  /** Nothing more comes; leaves the screen tidy. */
  stop(): void
}

/** A live bar on a terminal, a line per job anywhere else. */
export function startProgress(output: Output, total: number): Progress {
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
