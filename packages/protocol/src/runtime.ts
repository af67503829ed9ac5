import { oneOf } from './schema.ts'

/** The OCI runtimes that a language or a job can name. */
export const RUNTIMES = ['runc', 'crun', 'runsc'] as const

/** Name of an OCI runtime. Under `runsc` (gVisor) programs use a kernel of their own instead of the host's. */
export type Runtime = (typeof RUNTIMES)[number]

/** A runtime as a field of a job or a language. */
export const runtimeSchema = oneOf(RUNTIMES)

/** What can isolate a program, from least to most: namespaces of the worker's host, a container of an engine, gVisor. */
export const ISOLATIONS = ['process', 'container', 'gvisor'] as const

/** How a program is isolated; see {@link ISOLATIONS}. */
export type Isolation = (typeof ISOLATIONS)[number]

/** An isolation as a field of a job. */
export const isolationSchema = oneOf(ISOLATIONS)

/** The runtime of the process driver's sandboxes: the program that makes them. */
export const PROCESS_RUNTIME = 'isopod-spawner'

/** Whether a runtime is gVisor. An engine may have several, named `runsc-` and a word by convention. */
export function isGvisor(runtime: string): boolean {
  return runtime === 'runsc' || runtime.startsWith('runsc-')
}

/**
 * The isolation of a runtime: one of {@link ISOLATIONS}, or the runtime's own name if it is not known here. Such a runtime is the
 * operator's choice and counts as the strongest.
 */
export function isolationOf(runtime: string): string {
  if (runtime === PROCESS_RUNTIME) return 'process'
  if (runtime === 'runc' || runtime === 'crun') return 'container'
  return isGvisor(runtime) ? 'gvisor' : runtime
}

/** Whether an isolation, as `isolationOf` names it, is at least as strong as another. */
export function isolatesAtLeast(isolation: string, minimum: string): boolean {
  return strength(isolation) >= strength(minimum)
}

function strength(isolation: string): number {
  const known = (ISOLATIONS as readonly string[]).indexOf(isolation)
  return known === -1 ? ISOLATIONS.length - 1 : known
}

/** The isolations that a worker with these runtimes offers, from least to most. */
export function offeredIsolations(runtimes: readonly string[]): Isolation[] {
  return ISOLATIONS.filter((isolation) => runtimes.some((runtime) => isolationOf(runtime) === isolation))
}

/** What a job and its language request, and what the worker offers. */
export interface RuntimeWishes {
  /** A job's fields; they do not contradict each other. */
  readonly job: { readonly runtime?: Runtime | undefined; readonly isolation?: Isolation | undefined }
  /** The language's setting. */
  readonly language: Runtime | undefined
  /** Runtime of jobs that request nothing: the deployment's setting, or else the engine's default. */
  readonly deployment: string
  /** Minimum isolation of jobs that request something. @default that of `deployment` */
  readonly minimum?: Isolation | undefined
  /** All runtimes of the worker. */
  readonly offered: readonly string[]
}

/**
 * Chooses the runtime of an execution. A language can raise the deployment's isolation; a weaker language setting is ignored. A
 * job can choose any isolation that is not below the minimum of deployment and language. `runc` and `crun` isolate equally.
 *
 * @returns the runtime, or the sentence that refuses the job
 */
export function chooseRuntime(wishes: RuntimeWishes): { runtime: string } | { problem: string } {
  const { job, language, deployment, offered } = wishes
  const usual = language === undefined ? deployment : stronger(deployment, language)
  const wanted = job.isolation ?? (job.runtime && isolationOf(job.runtime))
  if (wanted === undefined) return { runtime: usual }
  const given = job.runtime === undefined ? `isolation: "${wanted}"` : `runtime: "${job.runtime}"`
  const minimum = minimumOf(wishes)
  if (!isolatesAtLeast(wanted, minimum)) {
    return { problem: `${given} isolates less than "${minimum}", the minimum here` }
  }
  // The deployment may have another gVisor than the one that the job names.
  const fits = isolationOf(usual) === wanted && (job.runtime === undefined || isGvisor(usual))
  const runtime = fits ? usual : (job.runtime ?? offered.find((name) => isolationOf(name) === wanted))
  if (runtime !== undefined && offered.includes(runtime)) return { runtime }
  const all = job.runtime === undefined ? offeredIsolations(offered) : offered
  return { problem: `${given} is not available; this worker offers ${all.join(', ') || 'none'}` }
}

/** The minimum isolation for what a job requests. */
function minimumOf({ language, deployment, minimum }: RuntimeWishes): string {
  const ofDeployment = minimum ?? isolationOf(deployment)
  const own = language && isolationOf(language)
  return own !== undefined && isolatesAtLeast(own, ofDeployment) ? own : ofDeployment
}

/** The second runtime, unless it isolates less than the first. */
function stronger(first: string, second: string): string {
  return isolatesAtLeast(isolationOf(second), isolationOf(first)) ? second : first
}
