import type { Progress } from '@isopod/client'
import cliProgress from 'cli-progress'
import type { Output } from '../io.ts'
import { countText } from '../terminal/units.ts'

/** Shows the progress of a batch. */
export interface GradeProgress {
  show(progress: Progress): void
  /** Removes the bar. */
  stop(): void
}

/** Minimum time between two lines without a terminal, in milliseconds. */
const LINE_EVERY_MS = 10_000

/** A live bar on a terminal, and a line every ten seconds elsewhere. */
export function startGradeProgress(output: Output, total: number, now = Date.now): GradeProgress {
  if (!output.isTTY) {
    let last = now()
    let lastDone = -1
    return {
      show: (progress) => {
        const isLast = progress.done === total && lastDone !== total
        if (!isLast && now() - last < LINE_EVERY_MS) return
        last = now()
        lastDone = progress.done
        output.write(`${progress.done}/${total} · ${progressWords(progress)}\n`)
      },
      stop: () => {},
    }
  }
  const bar = new cliProgress.SingleBar({
    stream: output,
    format: '{bar} {value}/{total} · {words}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
  })
  bar.start(total, 0, { words: 'started' })
  return {
    show: (progress) => bar.update(progress.done, { words: progressWords(progress) }),
    stop: () => bar.stop(),
  }
}

/** pass@1 so far, rate, remaining time, and numbers of skipped and faulty samples. */
function progressWords(progress: Progress): string {
  const { passAt1, ratePerSecond, etaSeconds, faults, retriedFaults, skipped, judgeErrors } = progress
  return [
    passAt1 === undefined ? '' : `pass@1 ${(passAt1 * 100).toFixed(1)} %`,
    `${ratePerSecond.toFixed(1)}/s`,
    etaSeconds === undefined ? '' : `eta ${clock(etaSeconds)}`,
    skipped > 0 ? `${skipped} skipped` : '',
    judgeErrors > 0 ? countText(judgeErrors, 'judge error') : '',
    faults > 0 ? countText(faults, 'fault') : '',
    retriedFaults > 0 ? `${retriedFaults} run again` : '',
  ]
    .filter((word) => word !== '')
    .join(' · ')
}

/** Seconds as `0:07` or `1:02:03`. */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds)
  const pad = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}
