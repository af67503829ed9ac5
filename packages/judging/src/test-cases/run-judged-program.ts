import type { Outcome, RunOutcome } from '@isopod/sandbox'
import type { ContentionRetry } from '../contention-retry.ts'
import { Interactor } from '../helpers/interactor.ts'
import type { JudgeAnswer } from '../helpers/judge-answer.ts'
import type { JobRunOptions, JudgingOptions } from '../judging.ts'
import { withOwnContainers } from '../shared-containers.ts'
import { helperOf, type TestCasesPlan } from './plan-test-cases.ts'
import type { PendingRun } from './test-judge.ts'

/** Runs that form one execution. */
export interface ProgramRuns {
  /** Name of the execution: containers carry it. */
  readonly id: string
  readonly pending: readonly PendingRun[]
}

/** What the runs of a program need. */
export interface ProgramParts {
  readonly plan: TestCasesPlan
  readonly sandbox: JudgingOptions['sandbox']
  readonly wasOvercommitted: ContentionRetry['wasOvercommitted']
  readonly options: JobRunOptions
}

/** Called after each run, with the answer of its interactor, if it has one that decides; false ends the execution. */
type OnProgramRun = (
  run: RunOutcome,
  position: number,
  answer: JudgeAnswer | undefined,
) => boolean | Promise<boolean>

/**
 * Runs the program together with the interactor of its test cases, if there is one. The end of the program ends the interactor,
 * and a platform fault of the interactor ends the program.
 */
export async function runJudgedProgram(
  { id, pending }: ProgramRuns,
  { plan, sandbox, wasOvercommitted, options }: ProgramParts,
  onRun: OnProgramRun,
): Promise<Outcome> {
  const execution = { ...plan.execution, id }
  const runs = pending.map(({ input }) => input)
  const tests = pending.map(({ test }) => test)
  const ahead = !plan.stopOnFirstFailure
  const program = tests.find((test) => test.interactor !== undefined)?.interactor
  if (program === undefined) {
    const each = (run: RunOutcome, at: number) => onRun(run, at, undefined)
    return await sandbox.run({ ...execution, runs }, { ...options, onRun: each, ahead })
  }
  const interactor = new Interactor(program, tests)
  const failed = new AbortController()
  const programEnded = new AbortController()
  const { budget } = options
  const context = { sandbox, execution, budget, wasOvercommitted, helper: helperOf(plan, program.language) }
  const finished = interactor.run(runs, context, programEnded.signal).catch((error) => failed.abort(error))
  try {
    return await sandbox.run(
      { ...execution, runs: interactor.connect(runs) },
      {
        ...options,
        signal: AbortSignal.any([options.signal, failed.signal]),
        onRun: async (run, at) => await onRun(run, at, await interactor.judge(at, run)),
        ahead,
      },
    )
  } finally {
    programEnded.abort(new Error('the program has ended'))
    await finished
  }
}

/** A second conversation of the program with its interactor. */
interface SecondTalk {
  readonly outcome: Outcome
  readonly run: RunOutcome
  readonly answer: JudgeAnswer | undefined
}

/**
 * Repeats one run whose interactor failed, with both programs in new containers.
 *
 * @param runs.at position of the run
 * @returns undefined if the job has no time for it
 */
export async function talkAgain(
  { id, pending, at }: ProgramRuns & { readonly at: number },
  parts: ProgramParts,
): Promise<SecondTalk | undefined> {
  if (parts.options.budget.isSpent) return undefined
  let talk: Omit<SecondTalk, 'outcome'> | undefined
  const again = { id: `${id}.talk-${at + 1}`, pending: pending.slice(at, at + 1) }
  const ownParts = { ...parts, plan: withOwnContainers(parts.plan) }
  const outcome = await runJudgedProgram(again, ownParts, (run, _, answer) => {
    const isLate = run.limit === 'job' || answer?.kind === 'late'
    if (!isLate) talk = { run, answer }
    return false
  })
  return talk && { outcome, ...talk }
}
