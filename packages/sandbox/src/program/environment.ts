import { NET_PORT } from '@isopod/init'
import type { Language } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'
import { WORKSPACE } from '../driver/confinement.ts'

/** Variables that limit the threads of libraries, which otherwise start one per core of the host. */
const THREAD_COUNT_VARIABLES = [
  'OMP_NUM_THREADS',
  'OPENBLAS_NUM_THREADS',
  'MKL_NUM_THREADS',
  'NUMEXPR_NUM_THREADS',
  'RAYON_NUM_THREADS',
  'GOMAXPROCS',
]

const PROXY = `http://127.0.0.1:${NET_PORT}`
/** Names the proxy: curl, pip, wget and most libraries read these variables; Node needs the last one. */
const PROXY_VARIABLES = {
  http_proxy: PROXY,
  https_proxy: PROXY,
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  no_proxy: 'localhost,127.0.0.1',
  NO_PROXY: 'localhost,127.0.0.1',
  NODE_USE_ENV_PROXY: '1',
}

/** The program's environment, built from nothing: no variable of the host or of the image reaches it. */
export function environment(
  execution: Pick<Execution, 'language' | 'limits' | 'inputData' | 'env'>,
  { proxy }: { readonly proxy: boolean },
): Record<string, string> {
  const threads = String(Math.max(1, Math.ceil(execution.limits.cpus)))
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: WORKSPACE,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...Object.fromEntries(THREAD_COUNT_VARIABLES.map((name) => [name, threads])),
    // The language's variables follow the job's, so that a job cannot override them.
    ...execution.env,
    ...execution.language.env,
    ...(execution.inputData === undefined ? {} : execution.language.input_hook?.env),
    // Last: a language's own proxy would be unreachable.
    ...(proxy ? PROXY_VARIABLES : {}),
  }
}

/** The word of a language's command that the job's arguments replace. */
export const ARGUMENTS_PLACEHOLDER = '{args}'

/** A command of a language as an argument vector, with the arguments in place of `{args}`, else at its end. */
export function argvOf(
  command: readonly string[],
  { filename }: Pick<Language, 'filename'>,
  args: readonly string[] = [],
): string[] {
  const words = command.flatMap((word) =>
    word === ARGUMENTS_PLACEHOLDER ? args : [word.replaceAll('{filename}', filename)],
  )
  return command.includes(ARGUMENTS_PLACEHOLDER) ? words : [...words, ...args]
}
