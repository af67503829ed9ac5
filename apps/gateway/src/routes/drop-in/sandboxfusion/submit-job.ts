import type { UncheckedJob } from '../../../submissions.ts'
import { checkedJob } from '../field-errors.ts'
import type { DatasetType } from './dataset-types.ts'
import { gradeAutoEval } from './datasets/auto-eval.ts'
import { gradeCommonOj } from './datasets/common-oj.ts'
import type { Grading } from './datasets/grading.ts'
import { gradeHumanEval } from './datasets/human-eval.ts'
import { gradeMbpp } from './datasets/mbpp.ts'
import { SANDBOXFUSION_LANGUAGES } from './languages.ts'
import { OUTPUT_BYTES } from './run-code-job.ts'
import { type DatasetRow, datasetTypeOf, rowOf, type SubmitRequest } from './submit-request.ts'

const DEFAULT_SECONDS = 20

const GRADERS: Readonly<Record<DatasetType, (row: DatasetRow, request: SubmitRequest) => Grading>> = {
  HumanEvalDataset: gradeHumanEval,
  MBPPDataset: gradeMbpp,
  CommonOJDataset: gradeCommonOj,
  AutoEvalDataset: gradeAutoEval,
}

/** Fields of a job → fields of a request. */
export const SUBMIT_FIELD_NAMES = {
  code: 'completion',
  tests: 'config.provided_data.test',
  files: 'config.provided_data.test.asset',
  'tests.0.files': 'config.provided_data.test.asset',
  'limits.timeoutSeconds': 'config.run_timeout',
}

/**
 * Plans the grading of a request.
 *
 * @throws {RequestRefused} 422 naming the fields as SandboxFusion does
 */
export function gradingOf(request: SubmitRequest): Grading {
  return GRADERS[datasetTypeOf(request)](rowOf(request), request)
}

/** The job that judges a completion. */
export function jobOfGrading(grading: Grading, { config }: SubmitRequest): UncheckedJob {
  const { language, code, tests, files, stopOnFirstFailure } = grading
  return checkedJob(
    {
      language: SANDBOXFUSION_LANGUAGES[language],
      code,
      ...(tests && { tests }),
      ...(files && { files }),
      ...(stopOnFirstFailure && { stopOnFirstFailure }),
      limits: { timeoutSeconds: config.run_timeout ?? DEFAULT_SECONDS, outputBytes: OUTPUT_BYTES },
    },
    SUBMIT_FIELD_NAMES,
  )
}
