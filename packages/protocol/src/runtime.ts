import { oneOf } from './schema.ts'

/** The OCI runtimes that a language or a job can name. */
export const RUNTIMES = ['runc', 'crun', 'runsc'] as const

/** Name of an OCI runtime. `runsc` is gVisor: programs then talk to a kernel of their own, not to the host's. */
export type Runtime = (typeof RUNTIMES)[number]

/** A runtime as a field of a job or a language. */
export const runtimeSchema = oneOf(RUNTIMES)

/** Says whether a runtime of an engine is gVisor. Engines may have several, by custom named `runsc-` and a word. */
export function isGvisor(runtime: string): boolean {
  return runtime === 'runsc' || runtime.startsWith('runsc-')
}

/** Who wants which runtime; undefined where nothing is said. */
export interface RuntimeWishes {
  readonly job: Runtime | undefined
  readonly language: Runtime | undefined
  /** The deployment's setting, or else the engine's default. */
  readonly deployment: string
}

/**
 * The runtime of an execution. A language may ask for more isolation than the deployment and a job for more than its
 * language, never for less: of language and deployment the stronger word counts. `runc` and `crun` isolate alike.
 *
 * @returns the runtime, or the sentence that refuses the job
 */
export function chooseRuntime(wishes: RuntimeWishes): { runtime: string } | { problem: string } {
  const { job, language, deployment } = wishes
  const least = language !== undefined && isAtLeast(language, deployment) ? language : deployment
  if (job === undefined) return { runtime: least }
  if (isAtLeast(job, least)) return { runtime: isGvisor(least) ? least : job }
  const sentence = `isolates less than ${JSON.stringify(least)}, which is the least here`
  return { problem: `runtime: ${JSON.stringify(job)} ${sentence}` }
}

function isAtLeast(runtime: string, other: string): boolean {
  return !sharesHostKernel(runtime) || sharesHostKernel(other)
}

/** Any other runtime is the operator's own choice, taken for one that isolates more. */
function sharesHostKernel(runtime: string): boolean {
  return runtime === 'runc' || runtime === 'crun'
}
