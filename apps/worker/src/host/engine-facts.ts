import type { Catalogue } from '@isopod/languages'
import type { Sandbox } from '@isopod/sandbox'

/** A warning about the engine for the operator. */
export interface EngineWarning {
  readonly text: string
  readonly language?: string
  readonly runtime?: string
}

/** Labels of the metric `isopod_worker_info`. */
export function engineLabels({ facts }: Pick<Sandbox, 'facts'>) {
  return { engine: facts.version, runtime: facts.defaultRuntime, cgroup: `v${facts.cgroup}` }
}

/** Warnings about features that the engine lacks. */
export function engineWarnings(
  { languages }: Pick<Catalogue, 'languages'>,
  { facts }: Pick<Sandbox, 'facts'>,
): readonly EngineWarning[] {
  const absent = languages.flatMap(({ name, runtime }) =>
    runtime === undefined || facts.runtimes.includes(runtime)
      ? []
      : [
          {
            text: 'the engine lacks the runtime of a language; its jobs will fail here',
            language: name,
            runtime,
          },
        ],
  )
  const swap =
    'the engine does not account for swap: on a host with swap, a job can use more memory than its limit'
  return [
    ...absent,
    ...(facts.limitsSwap ? [] : [{ text: swap }]),
    ...facts.warnings.map((text) => ({ text })),
  ]
}
