import type { CheckerProgram, TestCase } from '@isopod/protocol'
import type { Execution, RunOutcome, Sandbox, TimeBudget } from '@isopod/sandbox'
import type { HelperProgram } from '../judging-rules.ts'
import { testName } from '../test-name.ts'
import { CheckerFaultError } from './checker-fault.ts'

/** Maximum length of a checker's message, in characters. */
const MAX_MESSAGE = 400

/** Exit codes with which a checker answers; programs hardly exit with one of them by mistake. */
export const ACCEPTED = 42
export const REFUSED = 43

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
  /** The execution whose outputs they judge. */
  readonly execution: Pick<Execution, 'id' | 'attempt'>
  readonly helper: (language: string) => HelperProgram
  readonly signal: AbortSignal
  readonly budget?: TimeBudget | undefined
}

/** Receives the answers of checker programs. */
export interface CheckListener {
  /** @param difference why the output was refused; undefined if it was accepted */
  checked(position: number, difference: string | undefined): void
  /** The job's time ran out before this output was checked. */
  ranOut(position: number): void
}

/**
 * Runs the checker programs of a job over its outputs. Each has its own container, is compiled once, and gets a clean workspace
 * for each output.
 *
 * @throws {CheckerFaultError} if a checker itself fails; the job then has no verdicts
 */
export async function runCheckers(
  outputs: readonly CheckedOutput[],
  context: CheckerContext,
  listener: CheckListener,
): Promise<void> {
  const byProgram = Map.groupBy(outputs, ({ program }) => JSON.stringify([program.language, program.code]))
  for (const [number, group] of [...byProgram.values()].entries()) {
    await runChecker(group, `${context.execution.id}.checker-${number + 1}`, context, listener)
  }
}

async function runChecker(
  outputs: readonly CheckedOutput[],
  id: string,
  { sandbox, execution, helper, signal, budget }: CheckerContext,
  listener: CheckListener,
): Promise<void> {
  const [first] = outputs
  if (first === undefined) return
  const { language, limits } = helper(first.program.language)
  const { code } = first.program
  const runs = outputs.map((output) => ({ limits, files: filesOf(output) }))
  let checked = 0
  const outcome = await sandbox.run(
    { id, attempt: execution.attempt, language, limits, code, runs },
    {
      signal,
      budget,
      onRun: (run, at) => {
        const output = outputs[at]
        if (output === undefined || run.limit === 'job') return false
        listener.checked(output.position, differenceOf(run, output))
        checked++
        return true
      },
    },
  )
  // Without this, an unchecked output would count as passed.
  if (outcome.limit === 'job') for (const { position } of outputs.slice(checked)) listener.ranOut(position)
  else if (checked < outputs.length) throw fault(first, outcome.compileOutput || outcome.errorMessage)
}

function filesOf({ test, stdout }: CheckedOutput) {
  const text = (content: string) => ({ content, encoding: 'utf8' as const })
  return {
    input: text(test.stdin ?? ''),
    expected: text(test.expected ?? ''),
    actual: { content: Buffer.from(stdout).toString('base64'), encoding: 'base64' as const },
  }
}

function differenceOf(run: RunOutcome, output: CheckedOutput): string | undefined {
  if (run.exitCode === ACCEPTED) return undefined
  const message = Buffer.from(run.stdout.bytes).toString().trim().slice(0, MAX_MESSAGE)
  if (run.exitCode === REFUSED) return message || 'the checker refused it'
  const why = run.errorMessage ?? 'Program exited with code 0'
  throw fault(output, `${why}; ${ACCEPTED} accepts, ${REFUSED} refuses`)
}

function fault({ test, position }: CheckedOutput, why: string | null): CheckerFaultError {
  const reason = (why ?? 'it did not say why').slice(0, MAX_MESSAGE)
  return new CheckerFaultError(`the checker of test "${testName(test, position)}" failed: ${reason}`)
}
