import { composeScript, judgeScript, type ScriptVerdict } from '@isopod/grading'
import type { ScriptRules } from '@isopod/protocol'
import { type Execution, type Outcome, type Sandbox, WORKSPACE } from '@isopod/sandbox'
import type { JobRunOptions } from '../judging.ts'
import { newSecrets, type PlannedScript, type ScriptsPlan } from './plan-scripts.ts'

/** One run of a script. */
export interface ScriptOutcome {
  readonly outcome: Outcome
  readonly verdict: ScriptVerdict
}

/**
 * Runs the code and a script in one process.
 *
 * @param id name of the execution
 * @throws what the sandbox rejects with
 */
export async function runInOneProcess(
  test: PlannedScript,
  id: string,
  plan: Pick<ScriptsPlan, 'rules' | 'code'>,
  sandbox: Pick<Sandbox, 'run'>,
  options: JobRunOptions,
): Promise<ScriptOutcome> {
  const outcome = await sandbox.run({ ...withScript(test, plan), id }, options)
  return { outcome, verdict: judgeOutcome(outcome, plan.rules) }
}

/** The execution of the job's code followed by a script, with new secrets. */
function withScript(
  { script, execution }: PlannedScript,
  { rules, code }: Pick<ScriptsPlan, 'rules' | 'code'>,
): Execution {
  const { report, tag } = newSecrets()
  const { program = code } = composeScript(rules, { code, script, report: `${WORKSPACE}/${report}`, tag })
  return { ...execution, code: program, report }
}

function judgeOutcome(outcome: Outcome, rules: ScriptRules): ScriptVerdict {
  const { status, exitCode, errorMessage, compileOutput = '' } = outcome
  const stderr = status === 'compile_error' ? compileOutput : Buffer.from(outcome.stderr.bytes).toString()
  const report = outcome.report && Buffer.from(outcome.report).toString()
  return judgeScript({ status, exitCode, errorMessage, stderr, report }, rules.assertion)
}
