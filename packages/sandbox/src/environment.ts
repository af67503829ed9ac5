import type { Execution } from './sandbox.ts'
import { WORKSPACE } from './workspace.ts'

/** Libraries that start a thread per core of the host unless one of these says otherwise. */
const THREAD_COUNT_VARIABLES = [
  'OMP_NUM_THREADS',
  'OPENBLAS_NUM_THREADS',
  'MKL_NUM_THREADS',
  'NUMEXPR_NUM_THREADS',
  'RAYON_NUM_THREADS',
  'GOMAXPROCS',
]

/** The program's environment, built from nothing: no variable of the host or of the image reaches it. */
export function environment(
  execution: Pick<Execution, 'language' | 'limits' | 'inputData'>,
): Record<string, string> {
  const threads = String(Math.max(1, Math.ceil(execution.limits.cpus)))
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: WORKSPACE,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...Object.fromEntries(THREAD_COUNT_VARIABLES.map((name) => [name, threads])),
    ...execution.language.env,
    ...(execution.inputData === undefined ? {} : execution.language.input_hook?.env),
  }
}
