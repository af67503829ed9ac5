import { type CheckerProgram, type Job, TerminalError, type TestCase } from '@isopod/protocol'
import type { Execution, Outcome, RunInput, RunOptions, Sandbox } from '@isopod/sandbox'
import type { Share } from '../admission/admission.ts'
import { type DeploymentRules, helperProgram } from '../plan-execution.ts'
import { runCheckers } from './checker-programs.ts'
import { Interactor } from './interactors.ts'
import { type Graded, TestJudge } from './judge-tests.ts'
import type { OutputChecks } from './output-checks.ts'

/** What a job with tests meets. */
export interface GradedRunOptions {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly checks: Pick<OutputChecks, 'check'>
  readonly rules: Pick<DeploymentRules, 'catalogue' | 'defaults'>
}

/**
 * Runs an execution with the tests of its job, and judges each.
 *
 * @returns what happened to the program, and what the tests came to; no `graded` for a job without tests
 */
export async function gradedRun(
  execution: Execution,
  { tests, stopOnFirstFailure }: Pick<Job, 'tests' | 'stopOnFirstFailure'>,
  { sandbox, checks, rules }: GradedRunOptions,
  options: RunOptions & { readonly signal: AbortSignal },
): Promise<{ readonly outcome: Outcome; readonly graded?: Graded }> {
  if (tests === undefined) return { outcome: await sandbox.run(execution, options) }
  const judge = new TestJudge({ tests, stopOnFirstFailure, checks })
  const outcome = await talkingRun(execution, tests, { sandbox, rules }, (signal, runs, interactor) =>
    sandbox.run(
      { ...execution, runs },
      {
        ...options,
        signal: AbortSignal.any([options.signal, signal]),
        onRun: async (run, index) => judge.take(run, index, await interactor?.judge(index, run)),
        ahead: !stopOnFirstFailure,
      },
    ),
  )
  const stage = {
    sandbox,
    of: execution,
    resolve: (program: CheckerProgram) => resolved(program, rules),
    signal: options.signal,
  }
  await runCheckers(judge.unchecked, stage, (index, difference) => judge.takeChecked(index, difference))
  return { outcome, graded: judge.finish(outcome) }
}

/** What an execution takes of its host at most: its own share, whichever of its runs is on, and its interactor's beside it. */
export function shareOf(
  { limits, runs = [] }: Execution,
  { tests = [] }: Pick<Job, 'tests'>,
  rules: GradedRunOptions['rules'],
): Share {
  const all = [limits, ...runs.map((run) => run.limits)]
  const program = tests.find(({ interactor }) => interactor !== undefined)?.interactor
  const beside = program && helperProgram(program.language, rules)?.limits
  return {
    memoryMb: Math.max(...all.map(({ memoryMb }) => memoryMb)) + (beside?.memoryMb ?? 0),
    cpus: Math.max(...all.map(({ cpus }) => cpus)) + (beside?.cpus ?? 0),
  }
}

/** Runs the program, and the interactor of its tests beside it, if there is one; neither outlives the other. */
async function talkingRun(
  execution: Execution,
  tests: readonly TestCase[],
  { sandbox, rules }: Pick<GradedRunOptions, 'sandbox' | 'rules'>,
  run: (
    signal: AbortSignal,
    runs: readonly RunInput[],
    interactor: Interactor | undefined,
  ) => Promise<Outcome>,
): Promise<Outcome> {
  const { runs = [] } = execution
  const failed = new AbortController()
  const program = tests.find(({ interactor }) => interactor !== undefined)?.interactor
  if (program === undefined) return await run(failed.signal, runs, undefined)
  const interactor = new Interactor(program, tests)
  const over = new AbortController()
  const stage = { sandbox, of: execution, ...resolved(program, rules) }
  const talking = interactor.run(runs, stage, over.signal).catch((error) => failed.abort(error))
  try {
    return await run(failed.signal, interactor.piped(runs), interactor)
  } finally {
    over.abort(new Error('the program has ended'))
    await talking
  }
}

function resolved({ language }: Pick<CheckerProgram, 'language'>, rules: GradedRunOptions['rules']) {
  const found = helperProgram(language, rules)
  // Its plan has refused a job with any other.
  if (found === undefined) throw new TerminalError('a checker has no language')
  return found
}
