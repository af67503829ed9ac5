import { type Result, signalNumber } from '@isopod/protocol'
import { RequestRefused } from '../../../http/problem.ts'
import { refusedFields } from '../field-errors.ts'
import type { Grading } from './datasets/grading.ts'
import type { ExtractedType } from './extract-code.ts'
import { compileResult, type RunCodeResponse, runCodeResponse, runStatusOf } from './run-code-response.ts'
import type { SubmitRequest } from './submit-request.ts'

/** The verdict of one test. */
export interface EvalTestCase {
  readonly passed: boolean
  readonly exec_info: RunCodeResponse
  readonly test_info: null
}

/** The response of `POST /submit`. */
export interface SubmitResponse {
  readonly id: string | number
  readonly accepted: boolean
  readonly extracted_code: string
  readonly full_code: string | null
  readonly test_code: null
  readonly tests: readonly EvalTestCase[]
  readonly extracted_type: ExtractedType
  readonly extra: null
}

/** The response for a completion without code; nothing runs for it. */
export function emptyResponse({ id }: SubmitRequest): SubmitResponse {
  return {
    ...{ id, accepted: false, extracted_code: '', full_code: null, test_code: null },
    ...{ tests: [], extracted_type: 'empty', extra: null },
  }
}

/**
 * Makes the response for a result.
 *
 * @throws {RequestRefused} if the completion was not judged, which must not count as a failure of the model
 */
export function submitResponse({ id }: SubmitRequest, grading: Grading, result: Result): SubmitResponse {
  if (runStatusOf(result) === 'SandboxError') throw unjudged(result)
  const tests = testCases(result)
  return {
    id,
    accepted: tests.length > 0 && tests.every(({ passed }) => passed),
    extracted_code: grading.extracted.code,
    full_code: grading.fullCode,
    test_code: null,
    tests,
    extracted_type: grading.extracted.type,
    extra: null,
  }
}

function unjudged({ status, errorMessage }: Result): RequestRefused {
  const detail = errorMessage ?? 'the completion could not be judged'
  // The job is invalid, for example a limit above the deployment's maximum; a retry would not help.
  if (status === 'validation_error') return refusedFields([{ field: 'config', message: detail }])
  return new RequestRefused({ status: 503, code: 'unavailable', detail, retryAfterSeconds: 1 })
}

function testCases(result: Result): EvalTestCase[] {
  const ran = (result.tests ?? []).filter(({ verdict }) => verdict !== 'skipped')
  if (ran.length === 0 || result.status === 'compile_error') {
    const exec_info = runCodeResponse(result)
    return [{ passed: exec_info.status === 'Success', exec_info, test_info: null }]
  }
  const isOnly = ran.length === 1
  return ran.map((test) => ({
    passed: test.verdict === 'passed',
    exec_info: execInfo(test, result, isOnly),
    test_info: null,
  }))
}

/** A result holds the output of one run only, so `stdout` and `stderr` are set only for a single test. */
function execInfo(
  test: NonNullable<Result['tests']>[number],
  result: Result,
  isOnly: boolean,
): RunCodeResponse {
  const { verdict, exitCode, signal, wallMs, diff } = test
  const isTimeout = verdict === 'timeout'
  const failure = exitCode ?? -((signal === null ? undefined : signalNumber(signal)) ?? 9)
  return {
    // A wrong answer is still a successful run.
    status: failure === 0 && !isTimeout ? 'Success' : 'Failed',
    message: diff ?? '',
    compile_result: compileResult(result),
    run_result: {
      status: isTimeout ? 'TimeLimitExceeded' : 'Finished',
      execution_time: wallMs === null ? null : wallMs / 1000,
      return_code: isTimeout ? null : failure,
      stdout: isOnly ? result.stdout : null,
      stderr: isOnly ? result.stderr : null,
    },
    executor_pod_name: result.workerId,
    files: {},
  }
}
