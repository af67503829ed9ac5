import {
  documentedExitCode,
  documentedStatus,
  IsopodError,
  type JobInput,
  NO_EXIT_CODE,
  type Result,
} from '@isopod/protocol'
import { connect } from '../client.ts'
import type { IsopodClient } from '../isopod-client.ts'
import { checkNumber, ExecutionLimits, jobLimits, TIME_LIMIT_RULE } from './execution-limits.ts'

/** Maximum number of processes in the API document. */
const MAX_PROCESSES = 50
/** Timeout of the program that {@link checkDockerAvailable} runs, in milliseconds. */
const CHECK_TIMEOUT_MS = 20_000

/** Options of the functions of the API document. */
export interface ExecuteOptions {
  readonly stdin?: string | undefined
  /** Not available in this release; the call ends with `setup_error`. */
  readonly sessionId?: string | undefined
  /** @default a new client from `connect()`, closed afterwards */
  readonly client?: IsopodClient | undefined
}

/** The result of the API document, with its own names. */
export interface ExecutionResult {
  readonly stdout: string
  readonly stderr: string
  /** 128 + n after signal n; -1 after a timeout, or if nothing ran. */
  readonly exit_code: number
  /** Seconds. */
  readonly execution_time: number
  readonly status: 'success' | 'timeout' | 'execution_error' | 'setup_error'
  readonly error_message: string | null
}

/** A result with the usage of the program and its limits. */
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
  /** Limits as the container had them; as requested if there was no container. */
  readonly limits_applied: {
    readonly time_limit_seconds: number
    readonly memory_limit_mb: number
    readonly cpu_limit_cores: number
    readonly max_output_chars: number
  }
}

/** A result with the isolation of the program. All fields but `isolated` are null if nothing ran. */
export interface IsolatedResult extends LimitedResult {
  readonly isolation: {
    readonly isolated: boolean
    /** `process`: namespaces of the worker's host. `container`: a container of an engine. */
    readonly method: 'process' | 'container' | null
    /** `isopod-spawner` of the worker; `runc`, `crun` or `runsc` (gVisor) of an engine. */
    readonly runtime: string | null
    /** Whether no other job ever ran in the container. */
    readonly fresh: boolean | null
    readonly network: boolean | null
  }
}

/**
 * Runs a program in its own container: `execute_code()` of the API document. Never rejects for a job; the result describes any
 * error.
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
  const resultOrError = await runJob({ language, code, options }, () => ({
    timeoutSeconds: checkNumber('timeout', timeout, TIME_LIMIT_RULE),
  }))
  return typeof resultOrError === 'string' ? refusedResult(resultOrError) : executionResult(resultOrError)
}

/** Runs a program with limits and reports its usage: `execute_with_limits()` of the API document. Never rejects for a job. */
export async function executeWithLimits(
  language: string,
  code: string,
  limits: ExecutionLimits = new ExecutionLimits(),
  options: ExecuteOptions = {},
): Promise<LimitedResult> {
  return limitedResult(await runJob({ language, code, options }, () => jobLimits(limits)), limits)
}

/**
 * Runs a program with limits, in a process sandbox where the deployment offers one and else as {@link executeWithLimits}, and
 * reports its isolation: `sandbox_process_isolation()` of the API document. Never rejects for a job.
 */
export async function sandboxProcessIsolation(
  language: string,
  code: string,
  limits: ExecutionLimits = new ExecutionLimits(),
  options: ExecuteOptions = {},
): Promise<IsolatedResult> {
  const request = { language, code, options }
  const asked = await runJob({ ...request, isolation: 'process' }, () => jobLimits(limits))
  const resultOrError = isIsolationRefused(asked) ? await runJob(request, () => jobLimits(limits)) : asked
  const origin = typeof resultOrError === 'string' ? undefined : resultOrError.containerOrigin
  const isolation =
    typeof resultOrError === 'string' || origin === undefined
      ? { isolated: false, method: null, runtime: null, fresh: null, network: null }
      : {
          isolated: true,
          method: methodOf(resultOrError),
          runtime: resultOrError.runtime,
          fresh: origin !== 'batch',
          network: false,
        }
  return { ...limitedResult(resultOrError, limits), isolation }
}

/** Whether a job did not run because of the isolation that it asked for: below the minimum, not offered, or unknown to an older release. */
function isIsolationRefused(resultOrError: Result | string): boolean {
  const message = typeof resultOrError === 'string' ? resultOrError : resultOrError.errorMessage
  const isRefused = typeof resultOrError === 'string' || resultOrError.status === 'validation_error'
  return isRefused && message?.startsWith('isolation: ') === true
}

function methodOf({ isolation }: Result): 'process' | 'container' {
  return isolation?.driver === 'process' ? 'process' : 'container'
}

/**
 * Whether containers are available: runs a minimal program in one. `check_docker_available()` of the API document. False also if
 * Redis does not answer, or if no worker runs the program within 20 s.
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
      const { containerOrigin } = await client.run(job, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) })
      return containerOrigin !== undefined
    })
  } catch {
    return false
  }
}

interface ExecuteRequest {
  readonly language: string
  readonly code: string
  readonly options: ExecuteOptions
  readonly isolation?: JobInput['isolation']
}

/** Runs a job. @returns its result, or the message of the error because of which there is none */
async function runJob(request: ExecuteRequest, limits: () => JobInput['limits']): Promise<Result | string> {
  const { language, code, options, isolation } = request
  const { stdin, sessionId, client: given } = options
  try {
    const job: JobInput = {
      language,
      code,
      limits: { ...limits(), processes: MAX_PROCESSES },
      replyTo: 'none',
      ...(isolation !== undefined && { isolation }),
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

function executionResult(result: Result): ExecutionResult {
  return {
    stdout: result.stdout,
    stderr: result.stderr || (result.compileOutput ?? ''),
    exit_code: documentedExitCode(result, result.status),
    execution_time: (result.wallMs ?? 0) / 1000,
    status: documentedStatus(result),
    error_message: result.errorMessage,
  }
}

function refusedResult(errorMessage: string): ExecutionResult {
  return {
    stdout: '',
    stderr: '',
    exit_code: NO_EXIT_CODE,
    execution_time: 0,
    status: 'setup_error',
    error_message: errorMessage,
  }
}

function limitedResult(resultOrError: Result | string, limits: ExecutionLimits): LimitedResult {
  const result = typeof resultOrError === 'string' ? undefined : resultOrError
  const plain =
    typeof resultOrError === 'string' ? refusedResult(resultOrError) : executionResult(resultOrError)
  const usage = result?.resourceUsage
  const applied = result?.limitsApplied
  return {
    ...plain,
    stdout: firstCharacters(plain.stdout, limits.maxOutputChars),
    stderr: firstCharacters(plain.stderr, limits.maxOutputChars),
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

/** Cuts a text to a number of characters, as Python counts them: a surrogate pair is one. */
function firstCharacters(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('')
}
