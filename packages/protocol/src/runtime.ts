import { oneOf } from './schema.ts'

/** The OCI runtimes that a language or a job can name. */
export const RUNTIMES = ['runc', 'crun', 'runsc'] as const

/** Name of an OCI runtime. Under `runsc` (gVisor) programs use a kernel of their own instead of the host's. */
export type Runtime = (typeof RUNTIMES)[number]

/** A runtime as a field of a job or a language. */
export const runtimeSchema = oneOf(RUNTIMES)

/** Whether a runtime is gVisor. An engine may have several, named `runsc-` and a word by convention. */
export function isGvisor(runtime: string): boolean {
  return runtime === 'runsc' || runtime.startsWith('runsc-')
}

/** Runtimes that were requested; undefined if not. */
export interface RuntimeWishes {
  readonly job: Runtime | undefined
  readonly language: Runtime | undefined
  /** The deployment's setting, or else the engine's default. */
  readonly deployment: string
}

/**
 * Chooses the runtime of an execution. A language can raise the deployment's isolation, and a job can raise both; a weaker
 * language setting is ignored, and a weaker job is refused. `runc` and `crun` isolate equally.
 *
 * @returns the runtime, or the sentence that refuses the job
 */
export function chooseRuntime(wishes: RuntimeWishes): { runtime: string } | { problem: string } {
  const { job, language, deployment } = wishes
  const minimum = language !== undefined && isAtLeast(language, deployment) ? language : deployment
  if (job === undefined) return { runtime: minimum }
  if (isAtLeast(job, minimum)) return { runtime: isGvisor(minimum) ? minimum : job }
  const sentence = `isolates less than ${JSON.stringify(minimum)}, the minimum here`
  return { problem: `runtime: ${JSON.stringify(job)} ${sentence}` }
}

function isAtLeast(runtime: string, other: string): boolean {
  return !sharesHostKernel(runtime) || sharesHostKernel(other)
}

/** Other runtimes are the operator's choice and count as stronger isolation. */
function sharesHostKernel(runtime: string): boolean {
  return runtime === 'runc' || runtime === 'crun'
}
