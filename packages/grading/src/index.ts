export { type Checker, check } from './checkers/check.ts'
export type { Difference } from './checkers/difference.ts'
export { jsonProblem } from './checkers/json-equal.ts'
export type { Tolerance } from './checkers/numbers.ts'
export { regexProblem } from './checkers/regex.ts'
export { regexSize } from './checkers/regex-size.ts'
export { type GradingSettings, gradingJob, gradingLanguage, referenceOf } from './dataset/grading-job.ts'
export { parseRecord } from './dataset/lossless-json.ts'
export {
  DATASETS,
  type Dataset,
  type DatasetProblem,
  DEFAULT_TIMEOUT,
  type TestInput,
} from './dataset/problem.ts'
export { ProblemSet } from './dataset/problem-set.ts'
export { recognizeDataset } from './dataset/recognize.ts'
export { DatasetError, type Place } from './dataset/record.ts'
export { readSolutions, SOLUTION_FIELDS, type Solution, solutionRecords } from './dataset/solutions.ts'
export { stripFences } from './dataset/strip-fences.ts'
export { foldRuns, type RepeatedRun } from './fold-runs.ts'
export type { GradedSample } from './report/detail.ts'
export { cost, Grades, type Remark } from './report/grades.ts'
export { reportPage } from './report/page.ts'
export type { PassRate, ReportText } from './report/report-text.ts'
export {
  humanEvalResult,
  SAMPLE_VERDICTS,
  type SampleOutcome,
  type SampleVerdict,
  sampleVerdict,
  VERDICT_WORDS,
} from './report/sample-verdict.ts'
export { percentText } from './report/units.ts'
export { type Composed, composeScript, type ScriptParts } from './script/compose.ts'
export { composeSplit } from './script/compose-split.ts'
export { confirmVerdict, isConfirmable } from './script/confirm.ts'
export { detectTampering } from './script/detect-tampering.ts'
export { judgeScript, type ScriptRun, type ScriptVerdict } from './script/judge.ts'
export { judgeSplit, readSplitReport } from './script/judge-split.ts'
export { type ExecutedStatus, failureOf, type JudgedTest, summarize } from './verdict.ts'
