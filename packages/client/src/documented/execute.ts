import {
  documentedExitCode,
  documentedStatus,
  IsopodError,
  type JobInput,
  NO_EXIT_CODE,
  type Result,
} from '@isopod/protocol'
import { connect, type IsopodClient } from '../client.ts'
import { checkNumber, ExecutionLimits, jobLimits } from './execution-limits.ts'

/** The API document's number of processes. */
const PROCESSES = 50
/** How long the smallest program may take to show that containers can be had, in milliseconds. */
const CHECK_MS = 20_000

/** What a program is run with. */
export interface ExecuteOptions {
  readonly stdin?: string | undefined
  /** Not available in this release; such a call ends in `setup_error`. */
  readonly sessionId?: string | undefined
  /** @default one of its own, connected as `connect()` does, and closed afterwards */
  readonly client?: IsopodClient | undefined
}

/** The result of the API document, in its own words. */
export interface ExecutionResult {
  readonly stdout: string
  readonly stderr: string
  /** 128 + n after signal n; -1 after a timeout, and where nothing ran. */
  readonly exit_code: number
  /** Seconds. */
  readonly execution_time: number
  readonly status: 'success' | 'timeout' | 'execution_error' | 'setup_error'
  readonly error_message: string | null
}

/** The same, and what the program used and was allowed. */
export interface LimitedResult extends ExecutionResult {
  /** All 0 if nothing ran. Memory in MiB, percent of one core. */
  readonly resource_usage: {
    readonly execution_time_seconds: number
    readonly memory_start_mb: number
    readonly memory_peak_mb: number
    readonly cpu_samples: number
    readonly cpu_average_percent: number
    readonly cpu_peak_percent: number
  }
  /** As the container itself saw them; as asked for if there was none. */
  readonly limits_applied: {
    readonly time_limit_seconds: number
    readonly memory_limit_mb: number
    readonly cpu_limit_cores: number
    readonly max_output_chars: number
  }
}

/** The same, and how the program was kept apart. All but `isolated` are null if nothing ran. */
export interface IsolatedResult extends LimitedResult {
  readonly isolation: {
    readonly isolated: boolean
    readonly method: 'container' | null
    /** The OCI runtime. */
    readonly runtime: string | null
    /** No other job was ever in there. */
    readonly fresh: boolean | null
    readonly network: boolean | null
  }
}

/**
 * Runs a program in a container of its own: `execute_code()` of the API document. Never rejects for a job; what went wrong is
 * in the result.
 *
 * @param options `timeout` in seconds of wall-clock time, 1 to 300. @default 30
 *
 * @example
 * ```ts
 * const { stdout } = await executeCode('python', 'print(1 + 1)', { timeout: 5 })
 * ```
 */
export async function executeCode(
  language: string,
  code: string,
  options: ExecuteOptions & { readonly timeout?: number | undefined } = {},
): Promise<ExecutionResult> {
  const { timeout = 30 } = options
  const outcome = await resultOf({ language, code, options }, () => ({
    timeoutSeconds: checkNumber('timeout', timeout, [true, 1, 300]),
  }))
  return typeof outcome === 'string' ? refused(outcome) : answerOf(outcome)
}

/** Runs a program within limits, and says what it used: `execute_with_limits()` of the API document. Never rejects for a job. */
export async function executeWithLimits(
  language: string,
  code: string,
  limits: ExecutionLimits = new ExecutionLimits(),
  options: ExecuteOptions = {},
): Promise<LimitedResult> {
  return limited(await resultOf({ language, code, options }, () => jobLimits(limits)), limits)
}

/**
 * Runs a program within limits, and says how it was isolated: `sandbox_process_isolation()` of the API document. Never rejects
 * for a job.
 */
export async function sandboxProcessIsolation(
  language: string,
  code: string,
  limits: ExecutionLimits = new ExecutionLimits(),
  options: ExecuteOptions = {},
): Promise<IsolatedResult> {
  const outcome = await resultOf({ language, code, options }, () => jobLimits(limits))
  const origin = typeof outcome === 'string' ? undefined : outcome.containerOrigin
  const isolation =
    typeof outcome === 'string' || origin === undefined
      ? { isolated: false, method: null, runtime: null, fresh: null, network: null }
      : {
          isolated: true,
          method: 'container' as const,
          runtime: outcome.runtime,
          fresh: origin !== 'batch',
          network: false,
        }
  return { ...limited(outcome, limits), isolation }
}

/**
 * Whether a container can be had: the smallest program is run in one. `check_docker_available()` of the API document. False
 * also if Redis does not answer, or no worker takes the program within 20 s.
 */
export async function checkDockerAvailable(
  options: { readonly client?: IsopodClient | undefined } = {},
): Promise<boolean> {
  try {
    return await withClient(options.client, async (client) => {
      const able = (await client.languages())?.filter(({ missingImage }) => missingImage === undefined) ?? []
      const language = able.find(({ name }) => name === 'bash') ?? able[0]
      if (language === undefined) return false
      const code = language.name === 'bash' ? 'exit' : '0'
      const job = { language: language.name, code, replyTo: 'none' }
      const { containerOrigin } = await client.run(job, { signal: AbortSignal.timeout(CHECK_MS) })
      return containerOrigin !== undefined
    })
  } catch {
    return false
  }
}

interface Asked {
  readonly language: string
  readonly code: string
  readonly options: ExecuteOptions
}

/** The job's result, or one sentence about why there is none. */
async function resultOf(asked: Asked, limits: () => JobInput['limits']): Promise<Result | string> {
  const { language, code, options } = asked
  const { stdin, sessionId, client: given } = options
  try {
    const job: JobInput = {
      language,
      code,
      limits: { ...limits(), processes: PROCESSES },
      replyTo: 'none',
      ...(stdin !== undefined && { stdin }),
      ...(sessionId !== undefined && { sessionId }),
    }
    return await withClient(given, (client) => client.run(job))
  } catch (error) {
    if (error instanceof IsopodError) return error.message
    throw error
  }
}

async function withClient<T>(
  given: IsopodClient | undefined,
  use: (client: IsopodClient) => Promise<T>,
): Promise<T> {
  if (given !== undefined) return await use(given)
  const client = await connect()
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

function answerOf(result: Result): ExecutionResult {
  return {
    stdout: result.stdout,
    stderr: result.stderr || (result.compileOutput ?? ''),
    exit_code: documentedExitCode(result, result.status),
    execution_time: (result.wallMs ?? 0) / 1000,
    status: documentedStatus(result.status),
    error_message: result.errorMessage,
  }
}

function refused(sentence: string): ExecutionResult {
  return {
    stdout: '',
    stderr: '',
    exit_code: NO_EXIT_CODE,
    execution_time: 0,
    status: 'setup_error',
    error_message: sentence,
  }
}

function limited(outcome: Result | string, limits: ExecutionLimits): LimitedResult {
  const result = typeof outcome === 'string' ? undefined : outcome
  const answer = typeof outcome === 'string' ? refused(outcome) : answerOf(outcome)
  const usage = result?.resourceUsage
  const applied = result?.limitsApplied
  return {
    ...answer,
    stdout: firstCharacters(answer.stdout, limits.maxOutputChars),
    stderr: firstCharacters(answer.stderr, limits.maxOutputChars),
    resource_usage: {
      execution_time_seconds: usage?.executionTimeSeconds ?? 0,
      memory_start_mb: usage?.memoryStartMb ?? 0,
      memory_peak_mb: usage?.memoryPeakMb ?? 0,
      cpu_samples: usage?.cpuSamples ?? 0,
      cpu_average_percent: usage?.cpuAveragePercent ?? 0,
      cpu_peak_percent: usage?.cpuPeakPercent ?? 0,
    },
    limits_applied: {
      time_limit_seconds: applied?.timeoutSeconds ?? limits.timeLimit,
      memory_limit_mb: applied?.memoryMb ?? limits.memoryLimit,
      cpu_limit_cores: applied?.cpus ?? limits.cpuLimit,
      max_output_chars: limits.maxOutputChars,
    },
  }
}

/** Characters as people count them in Python: a surrogate pair is one. */
function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : [...text].slice(0, most).join('')
}
