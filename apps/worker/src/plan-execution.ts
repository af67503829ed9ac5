import {
  chooseRuntime,
  exceededMaxima,
  isGvisor,
  type Job,
  type Language,
  type LimitMaxima,
  type Limits,
  NO_NETWORK,
  resolveLimits,
  unknownNetwork,
  unsupportedLanguage,
} from '@isopod/protocol'
import { type Execution, workspaceProblems } from '@isopod/sandbox'
import type { DeploymentRules } from './deployment-rules.ts'
import { invocationProblems } from './invocation-problems.ts'
import type { Egress } from './network/profiles.ts'

/** Smallest memory limit under gVisor, which itself uses up to 20 MiB of it and otherwise ends before the program starts. */
const MIN_GVISOR_MEMORY_MB = 32

/** An execution that can be run, or one sentence for each reason why not. */
export type ExecutionPlan =
  | {
      readonly execution: Execution
      /** Undefined: no network. */
      readonly egress: Egress | undefined
      readonly problems?: undefined
    }
  | { readonly execution?: undefined; readonly egress?: undefined; readonly problems: readonly string[] }

/**
 * Turns a job into an execution: finds language and network, fills in limits, holds them below the maxima, checks the files.
 * Test cases have no part in it.
 */
export function planExecution(
  delivery: { id: string; attempt: number; job: Job },
  rules: DeploymentRules,
): ExecutionPlan {
  const { job } = delivery
  const language = rules.catalogue.find(job.language)
  if (language === undefined) {
    return { problems: [unsupportedLanguage(rules.catalogue.summaries(), job.language)] }
  }
  const egress = rules.networks.get(job.network)
  if (egress === undefined && job.network !== NO_NETWORK) {
    return { problems: [unknownNetwork(rules.networks.keys(), job.network)] }
  }
  if (egress !== undefined && rules.offline?.has(language.seccomp_profile)) {
    const profile = `the seccomp profile ${language.seccomp_profile} of ${language.name}`
    return {
      problems: [`network: must be ${NO_NETWORK} under ${profile}, got ${JSON.stringify(job.network)}`],
    }
  }
  const limits = resolveLimits(job.limits, language.default_limits, rules.defaults)
  const tooMuch = exceededMaxima(limits, rules.maxima)
  if (tooMuch.length > 0) return { problems: tooMuch.map(({ message }) => message) }

  const { runtime: deployment, runtimes } = rules
  const choice = chooseRuntime({ job: job.runtime, language: language.runtime, deployment })
  if ('problem' in choice) return { problems: [choice.problem] }
  if (job.runtime !== undefined && !runtimes.includes(choice.runtime)) {
    return {
      problems: [`runtime: ${JSON.stringify(job.runtime)} is not here; there are ${runtimes.join(', ')}`],
    }
  }

  if (isGvisor(choice.runtime) && limits.memoryMb < MIN_GVISOR_MEMORY_MB) {
    const least = `must be at least ${MIN_GVISOR_MEMORY_MB} under ${choice.runtime}`
    return { problems: [`limits.memoryMb: ${least}, got ${limits.memoryMb}`] }
  }

  const execution: Execution = {
    id: delivery.id,
    attempt: delivery.attempt,
    language,
    limits: stretched(limits, language),
    runtime: choice.runtime,
    code: job.code,
    files: job.files,
    stdin: job.stdin,
    args: job.args,
    env: job.env,
    compileArgs: job.compileArgs,
    fetchFiles: job.fetchFiles,
    inputData: job.inputData,
    preload: job.preload || (rules.preloaded?.has(language.name) ?? false),
    sharedBy: job.reuse === 'batch' ? JSON.stringify([job.tenant, job.batchId]) : undefined,
  }
  const misplaced = [...invocationProblems(job, language), ...workspaceProblems(execution)]
  if (misplaced.length > 0) return { problems: misplaced }
  return { execution, egress }
}

/**
 * What a checker program or an interactor runs with: the deployment's limits for its language, held below the maxima.
 *
 * @returns undefined if there is no such language
 */
export function helperProgram(
  name: string,
  { catalogue, defaults, maxima }: Pick<DeploymentRules, 'catalogue' | 'defaults' | 'maxima'>,
): { readonly language: Language; readonly limits: Limits } | undefined {
  const language = catalogue.find(name)
  if (language === undefined) return undefined
  const limits = within(resolveLimits({}, language.default_limits, defaults), maxima)
  return { language, limits: stretched(limits, language) }
}

function within(limits: Limits, maxima: LimitMaxima): Limits {
  const exceeded = Object.entries(maxima).filter(
    ([name, most]) => (limits[name as keyof LimitMaxima] ?? 0) > most,
  )
  return { ...limits, ...Object.fromEntries(exceeded) }
}

/** The wall-clock limit times the language's factor, for runtimes that start slowly. */
function stretched(limits: Limits, language: Language): Limits {
  return { ...limits, timeoutSeconds: limits.timeoutSeconds * language.timeout_factor }
}
