import { type ScriptVerdict, TOO_EARLY } from './judge.ts'

/** Verdicts of a split test that a run in one process can confirm. The others say how the code's process ended, or nothing. */
const CONFIRMABLE: ReadonlySet<ScriptVerdict['verdict']> = new Set([
  'passed',
  'wrong_answer',
  'runtime_error',
])

/** Whether a verdict of a split test is one that a run of the code and the script in one process can confirm. */
export function isConfirmable({ verdict }: ScriptVerdict): boolean {
  return CONFIRMABLE.has(verdict)
}

/**
 * The verdict of a split test after a run of the code and the script in one process. Objects of the code can look different in
 * a process of the script's own, and code can deceive a script in its process: where only one of both runs passes, neither
 * of them is believed.
 *
 * @param split a confirmable verdict
 * @param inOneProcess the verdict of the other run
 */
export function confirmVerdict(
  split: ScriptVerdict,
  inOneProcess: ScriptVerdict,
  script: string,
): ScriptVerdict {
  const passedSplit = split.verdict === 'passed'
  if (passedSplit === hasPassed(inOneProcess, script)) return split
  const reason = passedSplit
    ? `in one process with the code the script does not pass: ${inOneProcess.diff}`
    : `in one process with the code the script passes; in a process of its own: ${split.diff}`
  const { suspicious } = passedSplit ? inOneProcess : split
  return { verdict: 'unverified', diff: reason, ...(suspicious !== undefined && { suspicious }) }
}

/** Whether a run in one process passed. A script that ends the process itself gives no report there. */
function hasPassed({ verdict, diff }: ScriptVerdict, script: string): boolean {
  return verdict === 'passed' || (diff === TOO_EARLY && /exit/i.test(script))
}
