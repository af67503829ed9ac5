import type { CheckerProgram, TestCase } from '@isopod/protocol'
import {
  type Execution,
  maxStartupMs,
  type RunOutcome,
  type Sandbox,
  type TimeBudget,
  wasStarved,
} from '@isopod/sandbox'
import type { ContentionRetry } from '../contention-retry.ts'
import type { HelperProgram } from '../judging-rules.ts'
import { answerOf, type JudgeAnswer, type JudgeFailure, unstartedFailure } from './judge-answer.ts'

const NO_TIME = 'the checker had no time left (limits.jobSeconds), because it timed out on other outputs'

/** An output for a checker program to judge. */
export interface CheckedOutput {
  /** Position of the run that printed it. */
  readonly position: number
  readonly test: TestCase
  readonly program: CheckerProgram
  readonly stdout: Uint8Array
}

/** Where the checker programs of a job run. */
export interface CheckerContext {
  readonly sandbox: Pick<Sandbox, 'run'>
  /** The execution whose outputs they judge; they get its runtime. */
  readonly execution: Pick<Execution, 'id' | 'attempt' | 'runtime'>
  readonly helper: (language: string) => HelperProgram
  readonly retry: Pick<ContentionRetry, 'runExclusively' | 'resume'>
  readonly wasOvercommitted: ContentionRetry['wasOvercommitted']
  readonly signal: AbortSignal
  readonly budget?: TimeBudget | undefined
}

/** Receives the answer about each output, once. */
export type OnChecked = (position: number, answer: JudgeAnswer) => void

/** An output on which its checker failed. */
interface FailedCheck {
  readonly output: CheckedOutput
  readonly failure: JudgeFailure
}

/** The outputs of one checker program. */
interface CheckerGroup {
  readonly id: string
  readonly program: CheckerProgram
  readonly helper: HelperProgram
}

/**
 * Runs the checker programs of a job over its outputs. Each has its own container, is compiled once, and gets a clean workspace
 * for each output. A checker that fails on an output gets it a second time, in another container.
 *
 * @throws a platform fault; the signal's reason once aborted
 */
export async function runCheckers(
  outputs: readonly CheckedOutput[],
  context: CheckerContext,
  onChecked: OnChecked,
): Promise<void> {
  const byProgram = Map.groupBy(outputs, ({ program }) => JSON.stringify([program.language, program.code]))
  for (const [number, group] of [...byProgram.values()].entries()) {
    const program = group[0]?.program
    if (program === undefined) continue
    const id = `${context.execution.id}.checker-${number + 1}`
    const checker = { id, program, helper: context.helper(program.language) }
    const failed = await checkOnce(group, checker, context, onChecked)
    if (failed.length > 0) await checkAgain(failed, checker, context, onChecked)
  }
}

/** Reports each answer, except that of a checker that failed. @returns the outputs on which it failed */
async function checkOnce(
  outputs: readonly CheckedOutput[],
  checker: CheckerGroup,
  context: CheckerContext,
  onChecked: OnChecked,
): Promise<FailedCheck[]> {
  const failed: FailedCheck[] = []
  await check(outputs, checker, context, (output, answer) => {
    const hung = failed.find(({ failure }) => failure.timedOut)
    if (answer.kind === 'failed') failed.push({ output, failure: answer })
    // The checker used up the time of the job, not the program.
    else if (answer.kind === 'late' && hung)
      failed.push({ output, failure: { ...hung.failure, message: NO_TIME } })
    else onChecked(output.position, answer)
  })
  return failed
}

/**
 * Checks outputs a second time: exclusively, if other executions kept the checker from the processor and the worker's bounds allow
 * it. Without a second answer the failure stands.
 */
async function checkAgain(
  failed: readonly FailedCheck[],
  checker: CheckerGroup,
  context: CheckerContext,
  onChecked: OnChecked,
): Promise<void> {
  const failures = new Map(failed.map(({ output, failure }) => [output, failure]))
  const settle = (output: CheckedOutput, answer: JudgeAnswer | undefined) => {
    const first = failures.get(output)
    if (first === undefined) return
    failures.delete(output)
    onChecked(output.position, answer === undefined || answer.kind === 'late' ? first : answer)
  }
  if (failed.some(({ failure }) => failure.starved)) {
    const { language, limits } = checker.helper
    const outputs = [...failures.keys()]
    const timeoutsMs = outputs.map(() => limits.timeoutSeconds * 1000)
    const extraMs = maxStartupMs({ language, limits })
    const alone = { ...checker, id: `${checker.id}.alone` }
    await context.retry.runExclusively({ timeoutsMs, extraMs }, (count, signal) =>
      check(outputs.slice(0, count), alone, { ...context, signal }, settle),
    )
    await context.retry.resume()
  }
  const again = { ...checker, id: `${checker.id}.again` }
  if (failures.size > 0 && !context.budget?.isSpent) await check([...failures.keys()], again, context, settle)
  for (const output of [...failures.keys()]) settle(output, undefined)
}

/** Runs a checker program over outputs, and reports each answer in their order. */
async function check(
  outputs: readonly CheckedOutput[],
  { id, program, helper: { language, limits } }: CheckerGroup,
  { sandbox, execution: { attempt, runtime }, wasOvercommitted, signal, budget }: CheckerContext,
  onAnswer: (output: CheckedOutput, answer: JudgeAnswer) => void,
): Promise<void> {
  const isStarved = (run: RunOutcome) => wasStarved(run, limits, wasOvercommitted)
  const runs = outputs.map((output) => ({ limits, files: filesOf(output) }))
  let answered = 0
  const outcome = await sandbox.run(
    { id, attempt, language, limits, runtime, code: program.code, runs },
    {
      signal,
      budget,
      onRun: (run, at) => {
        const output = outputs[at]
        const answer = answerOf('checker', run, run.stdout.bytes, isStarved)
        if (output === undefined || answer.kind === 'late') return false
        answered++
        onAnswer(output, answer)
        return true
      },
    },
  )
  if (answered === outputs.length) return
  // Without this, an unchecked output would count as passed.
  const rest: JudgeAnswer =
    outcome.limit === 'job' ? { kind: 'late' } : unstartedFailure('checker', outcome, isStarved)
  for (const output of outputs.slice(answered)) onAnswer(output, rest)
}

function filesOf({ test, stdout }: CheckedOutput) {
  const text = (content: string) => ({ content, encoding: 'utf8' as const })
  return {
    input: text(test.stdin ?? ''),
    expected: text(test.expected ?? ''),
    actual: { content: Buffer.from(stdout).toString('base64'), encoding: 'base64' as const },
  }
}
