export { type CheckerChoice, type CheckerProgram, NAMED_CHECKERS } from './checker.ts'
export { copiedFields, withoutCopiedFields } from './copied-fields.ts'
export { visible, visibleJson } from './deceptive.ts'
export {
  ConfigError,
  type FieldProblem,
  InvalidJobError,
  IsopodError,
  type IsopodErrorOptions,
  publicMessageOf,
  RetryableError,
  TerminalError,
  UnavailableError,
} from './errors.ts'
export { documentedExitCode, NO_EXIT_CODE, signalNumber } from './exit-code.ts'
export {
  fetchedFilesSchema,
  fileBytes,
  isSafePath,
  type JobFile,
  MAX_FETCHED_BYTES,
  MAX_FILES,
  MAX_FILES_BYTES,
} from './files.ts'
export { type Job, type JobInput, jobSchema, MAX_INPUT_BYTES } from './job.ts'
export { isEventId, type JobEvent, LAST_EVENT_ID, type LiveEvent, liveEventSchema } from './job-event.ts'
export { type JsonSchema, jobJsonSchema, resultJsonSchema } from './json-schema.ts'
export {
  findLanguage,
  imageRemedy,
  type Language,
  type LanguageEntry,
  type LanguageSummary,
  languageEntrySchema,
  languageTag,
  rootRemedy,
  unsupportedLanguage,
} from './language.ts'
export {
  type CappedLimit,
  DEFAULT_LIMITS,
  exceededMaxima,
  LIMIT_NAMES,
  LIMITS,
  type LimitMaxima,
  type LimitName,
  type LimitScope,
  type Limits,
  type LimitsApplied,
  type LimitsOf,
  type LimitsRequest,
  limitNamesOf,
  limitsSchema,
  MAX_JOB_SECONDS,
  MAX_OUTPUT_BYTES,
  pickLimits,
  resolveLimits,
} from './limits.ts'
export { knownNames } from './nearest-name.ts'
export {
  MAX_PROFILES,
  type NetworkProfile,
  NO_NETWORK,
  networkProfilesSchema,
  splitEndpoint,
  unknownNetwork,
} from './network.ts'
export { describeProblems, parseJob } from './parse.ts'
export { type AppliedPolicy, type Policy, parsePolicy, stricterPolicy } from './policy.ts'
export { MAX_CODE_BYTES } from './program.ts'
export {
  NAMESPACES,
  type Namespace,
  type ResourceUsage,
  type Result,
  type ResultIsolation,
  resultSchema,
  type StoredResult,
  storedResultSchema,
  type Timings,
} from './result.ts'
export { RUNC_ADVICE, runcEscapes } from './runc.ts'
export {
  chooseRuntime,
  ISOLATIONS,
  type Isolation,
  isGvisor,
  isolatesAtLeast,
  isolationOf,
  offeredIsolations,
  PROCESS_RUNTIME,
  RUNTIMES,
  type Runtime,
  type RuntimeWishes,
} from './runtime.ts'
export { fields, integerBetween, type NewerWord, openList, sizeText, utf8Bytes } from './schema.ts'
export {
  type ScriptRules,
  SEPARATIONS,
  type Separation,
  type SplitReport,
  type SplitRules,
  scriptsUnsupported,
  splitReportSchema,
} from './script.ts'
export {
  type DocumentedStatus,
  documentedStatus,
  isAttributable,
  knownStatus,
  STATUSES,
  type Status,
} from './status.ts'
export { tenantRulesSchema } from './tenants.ts'
export {
  knownVerdict,
  MAX_TESTS,
  MAX_TESTS_BYTES,
  type TestCase,
  type TestResult,
  type TestSummary,
  VERDICTS,
  type Verdict,
} from './test-case.ts'
export { VERSION } from './version.ts'
