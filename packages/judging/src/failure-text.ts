import type { RunOutcome } from '@isopod/sandbox'

/** Maximum number of characters from the end of stderr in a verdict. */
const MAX_STDERR = 300

/** How a run ended, with the end of its stderr. */
export function failureText({ errorMessage, stderr }: Pick<RunOutcome, 'errorMessage' | 'stderr'>): string {
  const text = Buffer.from(stderr.bytes.subarray(-4 * MAX_STDERR))
    .toString()
    .trim()
  const shown = text.length > MAX_STDERR ? `…${text.slice(-MAX_STDERR)}` : text
  return [errorMessage ?? 'the program failed', ...(shown === '' ? [] : [shown])].join('; stderr: ')
}
