export { expressionProblems } from './comparison/expression-problems.ts'
export { COMPARISON_EXCEEDED, type JobChecks, OutputChecks } from './comparison/output-checks.ts'
export type { ContentionRetry, RetryRequest } from './contention-retry.ts'
export { judgeJob } from './judge-job.ts'
export type { JobRunOptions, Judging, JudgingOptions } from './judging.ts'
export type {
  Footprint,
  HelperProgram,
  JobAttempt,
  JudgingRules,
  LanguageList,
  PlannedExecution,
} from './judging-rules.ts'
export { footprintOf, type JudgingPlan, planJudging } from './plan-judging.ts'
export { sourcesToCheck } from './sources-to-check.ts'
export type { JudgedPart } from './summarize-tests.ts'
export type { OnVerdict } from './verdict-events.ts'
