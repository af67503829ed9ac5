import { randomBytes } from 'node:crypto'
import { composeScript } from '@isopod/grading'
import {
  type Job,
  type Language,
  NO_NETWORK,
  type ScriptRules,
  type Separation,
  scriptsUnsupported,
  type TestCase,
} from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'
import type { Footprint, HelperProgram, JobAttempt, JudgingRules } from '../judging-rules.ts'
import { testName } from '../test-name.ts'

/** Why a script cannot run both ways. */
const SENDS_TWICE =
  'separation: must be "process" or "none" with a network, because "both" runs the code twice'

/** A test case with a script, and the execution that it needs. */
export interface PlannedScript {
  readonly name: string
  readonly script: string
  readonly weight: number
  /** The files of the test case, without those of the job. */
  readonly files: TestCase['files']
  /** Has the stdin, files and limits of the test case, and the job's code without the script. */
  readonly execution: Execution
}

/** The scripts of a job; each becomes a separate program. */
export interface ScriptsPlan {
  readonly kind: 'scripts'
  readonly language: Language
  readonly rules: ScriptRules
  readonly separation: Separation
  /** Runs the scripts in processes of their own; undefined: they are appended to the code. */
  readonly judge: HelperProgram | undefined
  readonly code: string
  readonly stopOnFirstFailure: boolean
  readonly repeat: number
  readonly network: string
  readonly tests: readonly PlannedScript[]
}

/** Names that the code under test cannot know before it runs. */
export interface ScriptSecrets {
  /** Name of the file that a script writes at its end. */
  readonly report: string
  /** Part of the names that a script defines. */
  readonly tag: string
}

/**
 * Plans the scripts of a job.
 *
 * @returns the plan, or one sentence for each reason why a script cannot be run
 */
export function planScripts(
  { id, attempt, job }: JobAttempt,
  language: Language,
  deployment: JudgingRules,
): ScriptsPlan | { readonly problems: readonly string[] } {
  const { script: rules } = language
  if (rules === undefined) {
    return { problems: [scriptsUnsupported(deployment.catalogue.languages, language.name)] }
  }
  const cases = (job.tests ?? []).flatMap(({ script, ...test }) =>
    script === undefined ? [] : [{ test, script }],
  )
  const separation = job.separation ?? (rules.split === undefined ? 'none' : 'process')
  const isSplit = separation !== 'none'
  const problems: string[] = []
  if (isSplit && rules.split === undefined) problems.push(unsplit(language.name))
  if (separation === 'both' && job.network !== NO_NETWORK) problems.push(SENDS_TWICE)
  const tests: PlannedScript[] = []
  for (const [index, { test, script }] of cases.entries()) {
    // Containers carry the name of their execution, so each script needs a name of its own.
    const ownId = index === 0 ? id : `${id}.${index + 1}`
    const planned = deployment.planExecution({ id: ownId, attempt, job: jobOfScript(job, test) })
    const composed =
      separation === 'process' ? undefined : composeScript(rules, { code: job.code, script, ...newSecrets() })
    problems.push(...(planned.problems ?? []).map((problem) => `tests.${index}: ${problem}`))
    if (composed?.problem !== undefined) problems.push(`tests.${index}.script: ${composed.problem}`)
    if (planned.execution === undefined) continue
    const { weight, files } = test
    tests.push({ name: testName(test, index), script, weight, files, execution: planned.execution })
  }
  if (problems.length > 0) return { problems }
  const { code, stopOnFirstFailure, repeat, network } = job
  const judge = isSplit ? deployment.helper(language.name) : undefined
  return {
    ...{ kind: 'scripts', language, rules, separation, judge },
    ...{ code, stopOnFirstFailure, repeat, network, tests },
  }
}

function unsplit(language: string): string {
  return `separation: must be "none", because ${language} runs scripts in the process of the code`
}

/**
 * The footprint of a job with scripts, which run one after the other: that of the largest, and the judge's memory. Code and
 * judge need no more processors than the code: one waits while the other works.
 */
export function scriptsFootprint({ tests, judge }: ScriptsPlan): Footprint {
  const largest = Math.max(...tests.map(({ execution }) => execution.limits.memoryMb))
  return {
    memoryMb: largest + (judge?.limits.memoryMb ?? 0),
    cpus: Math.max(...tests.map(({ execution }) => execution.limits.cpus)),
  }
}

/** Makes the names for one run of a script. */
export function newSecrets(): ScriptSecrets {
  return { report: `isopod-${randomBytes(16).toString('hex')}`, tag: `x${randomBytes(16).toString('hex')}` }
}

/** The job with the stdin, files and limits of a test case. */
function jobOfScript(job: Job, { stdin, files, limits }: Omit<TestCase, 'script'>): Job {
  return {
    ...job,
    stdin: stdin ?? job.stdin,
    files: files === undefined ? job.files : { ...job.files, ...files },
    limits: { ...job.limits, ...limits },
  }
}
