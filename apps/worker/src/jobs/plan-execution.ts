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
import { ARGUMENTS_PLACEHOLDER, type Execution, workspaceProblems } from '@isopod/sandbox'
import type { Egress } from '../network/profiles.ts'
import type { DeploymentRules } from './deployment-rules.ts'

/** Smallest memory limit under gVisor, which itself uses up to 20 MiB of it and otherwise ends before the program starts. */
const MIN_GVISOR_MEMORY_MB = 32

/** An execution, or one sentence for each reason why there is none. */
export type ExecutionPlan =
  | {
      readonly execution: Execution
      /** Undefined: no network. */
      readonly egress: Egress | undefined
      readonly problems?: undefined
    }
  | { readonly execution?: undefined; readonly egress?: undefined; readonly problems: readonly string[] }

/**
 * Turns a job into an execution: finds language and network, fills in limits, checks them against the maxima, checks the
 * files. It ignores test cases.
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

  const { runtime: deployment, runtimes: offered, minimumIsolation: minimum } = rules
  const choice = chooseRuntime({ job, language: language.runtime, deployment, minimum, offered })
  if ('problem' in choice) return { problems: [choice.problem] }

  if (isGvisor(choice.runtime) && limits.memoryMb < MIN_GVISOR_MEMORY_MB) {
    const rule = `must be at least ${MIN_GVISOR_MEMORY_MB} under ${choice.runtime}`
    return { problems: [`limits.memoryMb: ${rule}, got ${limits.memoryMb}`] }
  }

  const execution: Execution = {
    id: delivery.id,
    attempt: delivery.attempt,
    language,
    limits: withTimeoutFactor(limits, language),
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
  const problems = [...invocationProblems(job, language), ...workspaceProblems(execution)]
  if (problems.length > 0) return { problems }
  return { execution, egress }
}

/**
 * Language and limits of a checker program or an interactor: the language's default limits, capped by the maxima.
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
  return { language, limits: withTimeoutFactor(limits, language) }
}

function within(limits: Limits, maxima: LimitMaxima): Limits {
  const exceeded = Object.entries(maxima).filter(
    ([name, max]) => (limits[name as keyof LimitMaxima] ?? 0) > max,
  )
  return { ...limits, ...Object.fromEntries(exceeded) }
}

/** Multiplies the timeout by the language's factor, for runtimes that start slowly. */
function withTimeoutFactor(limits: Limits, language: Language): Limits {
  return { ...limits, timeoutSeconds: limits.timeoutSeconds * language.timeout_factor }
}

/** Arguments and variables of a job that its language does not accept, one sentence each. */
function invocationProblems({ env = {}, compileArgs = [] }: Job, language: Language): string[] {
  // With or without input data, so that whether a variable is refused depends on the language alone.
  const own = { ...language.env, ...language.input_hook?.env }
  const taken = Object.keys(env).filter((name) => Object.hasOwn(own, name))
  return [
    ...taken.map((name) => `env.${name}: must not be set, because ${language.name} sets it`),
    ...(compileArgs.length > 0 ? compileProblems(language) : []),
  ]
}

function compileProblems({ name, compile }: Language): string[] {
  if (compile === undefined) return [`compileArgs: must be absent, because ${name} has no compile run`]
  if (compile.includes(ARGUMENTS_PLACEHOLDER)) return []
  return [`compileArgs: must be absent, because the compile run of ${name} takes none`]
}
