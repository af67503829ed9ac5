import type { CheckerProgram, Language, Limits, TestCase } from '@isopod/protocol'
import type { Execution, RunOutcome, Sandbox, TimeBudget } from '@isopod/sandbox'
import { CheckerFaultError } from './checker-fault.ts'
import { testName } from './plan-tests.ts'

/** Characters of what a checker says that are passed on. */
const SHOWN = 400

/** Exit codes with which a checker says what it found; no program ends with one of them by mistake. */
export const ACCEPTED = 42
export const REFUSED = 43

/** An output that a checker program is to judge. */
export interface CheckedOutput {
  readonly index: number
  readonly test: TestCase
  readonly program: CheckerProgram
  readonly stdout: Uint8Array
}

/** Where checker programs run, and for which start of which job. */
export interface CheckerStage {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly of: Pick<Execution, 'id' | 'attempt'>
  /** A checker's language and limits. */
  readonly resolve: (program: CheckerProgram) => { readonly language: Language; readonly limits: Limits }
  readonly signal: AbortSignal
  readonly budget?: TimeBudget | undefined
}

/** Told what came of the output of a turn. */
export interface CheckListener {
  /** Why it was refused; undefined accepts it. */
  checked(index: number, difference: string | undefined): void
  /** Its job had no time left for that. */
  ranOut(index: number): void
}

/**
 * Runs the checker programs of a job over its outputs: each in a container of its own, compiled once, with a clean workspace
 * for each output.
 *
 * @throws {CheckerFaultError} if a checker itself fails: then nobody is judged
 */
export async function runCheckers(
  outputs: readonly CheckedOutput[],
  stage: CheckerStage,
  listener: CheckListener,
): Promise<void> {
  const groups = Map.groupBy(outputs, ({ program }) => JSON.stringify([program.language, program.code]))
  let number = 0
  for (const group of groups.values()) await runChecker(group, ++number, stage, listener)
}

async function runChecker(
  outputs: readonly CheckedOutput[],
  number: number,
  { sandbox, of, resolve, signal, budget }: CheckerStage,
  listener: CheckListener,
): Promise<void> {
  const [first] = outputs
  if (first === undefined) return
  const { language, limits } = resolve(first.program)
  const { code } = first.program
  const runs = outputs.map((output) => ({ limits, files: filesOf(output) }))
  const id = `${of.id}.checker-${number}`
  let told = 0
  const outcome = await sandbox.run(
    { id, attempt: of.attempt, language, limits, code, runs },
    {
      signal,
      budget,
      onRun: (run, at) => {
        const output = outputs[at]
        if (output === undefined || run.limit === 'job') return false
        listener.checked(output.index, judgedBy(run, output))
        told++
        return true
      },
    },
  )
  // One that was not judged would stand as passed.
  if (outcome.limit === 'job') for (const { index } of outputs.slice(told)) listener.ranOut(index)
  else if (told < outputs.length) throw failed(first, outcome.compileOutput || outcome.errorMessage)
}

function filesOf({ test, stdout }: CheckedOutput) {
  const text = (content: string) => ({ content, encoding: 'utf8' as const })
  return {
    input: text(test.stdin ?? ''),
    expected: text(test.expected ?? ''),
    actual: { content: Buffer.from(stdout).toString('base64'), encoding: 'base64' as const },
  }
}

function judgedBy(run: RunOutcome, output: CheckedOutput): string | undefined {
  const said = Buffer.from(run.stdout.bytes).toString().trim().slice(0, SHOWN)
  if (run.exitCode === ACCEPTED) return undefined
  if (run.exitCode === REFUSED) return said || 'the checker refused it'
  const why = run.errorMessage ?? 'Program exited with code 0'
  throw failed(output, `${why}; ${ACCEPTED} accepts, ${REFUSED} refuses`)
}

function failed({ test, index }: CheckedOutput, why: string | null): CheckerFaultError {
  const what = (why ?? 'it did not say why').slice(0, SHOWN)
  return new CheckerFaultError(`the checker of test "${testName(test, index)}" failed: ${what}`)
}
