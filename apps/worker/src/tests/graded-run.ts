import { type CheckerProgram, type Job, TerminalError } from '@isopod/protocol'
import type { Execution, Outcome, RunOptions, Sandbox } from '@isopod/sandbox'
import { type DeploymentRules, helperProgram } from '../plan-execution.ts'
import { runCheckers } from './checker-programs.ts'
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
  const outcome = await sandbox.run(execution, {
    ...options,
    onRun: (run, index) => judge.take(run, index),
    ahead: !stopOnFirstFailure,
  })
  const stage = {
    sandbox,
    of: execution,
    resolve: (program: CheckerProgram) => resolved(program, rules),
    signal: options.signal,
  }
  await runCheckers(judge.unchecked, stage, (index, difference) => judge.takeChecked(index, difference))
  return { outcome, graded: judge.finish(outcome) }
}

function resolved({ language }: CheckerProgram, rules: GradedRunOptions['rules']) {
  const found = helperProgram(language, rules)
  // Its plan has refused a job with any other.
  if (found === undefined) throw new TerminalError('a checker has no language')
  return found
}
