/** Input of a workflow step of the type `code_execution`. */
export interface CodeStep {
  readonly config?: {
    readonly code?: string
    readonly language?: string
    /** Seconds, 1 to 60. @default 30 */
    readonly timeout?: number
    /** @default 256 */
    readonly memory_mb?: number
  }
}

/** The response of `POST /execute`. */
export interface CodeStepResult {
  readonly success: boolean
  readonly stdout: string
  readonly stderr: string
  readonly exit_code: number
  readonly execution_time_ms: number
  readonly error: string | null
  readonly validation_errors: string[] | null
}

/** What the workflow engine passes to a step. */
export interface StepContext {
  /** Aborted when the workflow run is cancelled; this also ends the program. */
  readonly signal?: AbortSignal
}

/**
 * Runs the code of a workflow step. `inputData` is the variable `input_data` of the program.
 *
 * @throws {Error} if the service refuses the request or does not answer; a program that fails is an answer
 */
export async function codeExecutionStep(
  step: CodeStep,
  inputData: unknown,
  context: StepContext = {},
): Promise<CodeStepResult> {
  const { code = '', language = 'python', timeout = 30, memory_mb = 256 } = step.config ?? {}
  const service = process.env['CODE_EXECUTION_SERVICE_URL'] ?? 'http://localhost:8007'
  // The wait for a free worker adds to the program's own time.
  const late = AbortSignal.timeout((timeout + 60) * 1000)
  const answer = await fetch(`${service}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ language, code, timeout_seconds: timeout, memory_mb, input_data: inputData }),
    signal: context.signal === undefined ? late : AbortSignal.any([late, context.signal]),
  })
  if (!answer.ok) {
    const { detail } = (await answer.json()) as { detail: string }
    throw new Error(`code execution: ${detail}`)
  }
  return (await answer.json()) as CodeStepResult
}
