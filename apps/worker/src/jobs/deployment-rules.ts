import type { Catalogue } from '@isopod/languages'
import type { Isolation, LimitMaxima, LimitsRequest } from '@isopod/protocol'
import type { Sandbox } from '@isopod/sandbox'
import type { Budget } from '../admission/admission.ts'
import type { WorkerConfig } from '../config.ts'
import { offlineProfiles } from '../host/profile-rules.ts'
import type { Networks } from '../network/profiles.ts'
import { preloadedLanguages } from './preloaded-languages.ts'

/** The deployment's rules for every job. */
export interface DeploymentRules {
  readonly catalogue: Catalogue
  readonly defaults: LimitsRequest
  readonly maxima: LimitMaxima
  readonly networks: Networks
  /** The deployment's runtime, and all that its drivers have. */
  readonly runtime: string
  readonly runtimes: readonly string[]
  /** Minimum isolation that a job may choose. @default that of `runtime` */
  readonly minimumIsolation?: Isolation | undefined
  /** Names of languages whose interpreter is started ahead for every job. @default none */
  readonly preloaded?: ReadonlySet<string>
  /** Names of seccomp profiles under which no program can connect. @default none */
  readonly offline?: ReadonlySet<string>
}

/** Where the rules come from. */
export interface RuleSources {
  readonly config: WorkerConfig
  readonly catalogue: Catalogue
  readonly networks: Networks
  readonly sandbox: Pick<Sandbox, 'facts'>
  /** The worker's budget; no job may ask for more memory. */
  readonly budget: Budget
}

/** Makes the rules from the settings, the catalogue and the engine's facts. */
export function deploymentRules(sources: RuleSources): DeploymentRules {
  const { config, catalogue, networks, sandbox, budget } = sources
  const { memoryMb = Number.POSITIVE_INFINITY, cpus = Number.POSITIVE_INFINITY } = config.maxima
  return {
    catalogue,
    networks,
    defaults: config.defaults,
    maxima: {
      ...config.maxima,
      memoryMb: Math.min(memoryMb, budget.memoryMb),
      cpus: Math.min(cpus, sandbox.facts.cpus),
    },
    runtime: sandbox.facts.defaultRuntime,
    runtimes: sandbox.facts.runtimes,
    minimumIsolation: config.minimumIsolation,
    preloaded: preloadedLanguages(config.preload, catalogue),
    offline: offlineProfiles(sandbox.facts.profiles),
  }
}
