import { createHash } from 'node:crypto'
import type { Job } from '@isopod/protocol'
import type { Delivery } from '@isopod/queue'
import type { DeploymentRules } from './deployment-rules.ts'
import { planExecution } from './plan-execution.ts'
import type { PolicyGate } from './policy-gate.ts'

/** Dependencies of {@link cacheKeyOf}. */
export interface CacheKeyOptions {
  /** Release of this worker; another one may judge differently. */
  readonly release: string
  readonly rules: DeploymentRules
  readonly gate: Pick<PolicyGate, 'applied'>
  /** Content digest of the image that a reference names now, for containers of a runtime. */
  readonly digest: (image: string, runtime: string | undefined) => Promise<string>
  /** Digest of a language's seccomp profile. */
  readonly profileDigest: (name: string) => string | undefined
}

/** Key of a job in the cache of results. */
export interface CacheKey {
  readonly text: string
  /** Image of the job's language. */
  readonly imageDigest: string
}

/** Fields about the submission and the delivery of the result: neither the program nor its verdict depends on them. */
const DELIVERY_FIELDS = [
  ...(['priority', 'expiresInSeconds', 'batchId', 'reuse', 'idempotencyKey', 'labels'] as const),
  ...(['callbackUrl', 'replyTo', 'stream', 'cache'] as const),
] satisfies (keyof Job)[]

/** Fields that the execution has, with defaults resolved. */
const EXECUTION_FIELDS = [
  ...(['language', 'code', 'files', 'fetchFiles', 'stdin', 'args', 'env', 'compileArgs'] as const),
  ...(['inputData', 'limits', 'isolation', 'runtime', 'preload', 'policy'] as const),
] satisfies (keyof Job)[]

const OMITTED: ReadonlySet<string> = new Set<string>([...DELIVERY_FIELDS, ...EXECUTION_FIELDS])

/**
 * Makes the key that two jobs share if they are the same. It covers the whole execution without its ids, and every field of
 * the job that is not listed above, so a new field changes the key until someone lists it.
 *
 * @returns undefined for a job that will be refused
 */
export async function cacheKeyOf(
  delivery: Pick<Delivery, 'id' | 'attempt' | 'job'>,
  { release, rules, gate, digest, profileDigest }: CacheKeyOptions,
): Promise<CacheKey | undefined> {
  const planned = planExecution(delivery, rules).execution
  if (planned === undefined) return undefined
  const { id: _, attempt: __, sharedBy: ___, ...execution } = planned
  const { job } = delivery
  const helpers = helperLanguages(job).flatMap((name) => rules.catalogue.find(name) ?? [])
  const languages = [execution.language, ...helpers]
  const digests = await Promise.all(languages.map(({ image }) => digest(image, execution.runtime)))
  const parts = {
    release,
    // The order of files and variables cannot be seen by a program; that of inputData can.
    execution: { ...execution, files: byName(execution.files), env: byName(execution.env) },
    job: Object.entries(job).filter(([name]) => !OMITTED.has(name)),
    policy: gate.applied(job.policy),
    helpers: { languages: helpers, defaults: rules.defaults, maxima: rules.maxima },
    digests,
    profiles: languages.map(({ seccomp_profile }) => profileDigest(seccomp_profile)),
  }
  const text = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return { text, imageDigest: digests[0] ?? '' }
}

function byName<T>(entries: Readonly<Record<string, T>> = {}): [string, T][] {
  return Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Languages of the programs that judge a job's test cases. */
function helperLanguages({ tests = [] }: Job): string[] {
  const names = tests.flatMap(({ checker, interactor }) => [
    ...(typeof checker === 'object' && checker.type === 'program' ? [checker.language] : []),
    ...(interactor === undefined ? [] : [interactor.language]),
  ])
  return [...new Set(names)].sort()
}
