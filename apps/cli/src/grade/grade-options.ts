import { resolve } from 'node:path'
import { DATASETS, type Dataset, DEFAULT_TIMEOUT } from '@isopod/grading'
import {
  ISOLATIONS,
  type Isolation,
  type JobInput,
  limitsSchema,
  SEPARATIONS,
  type Separation,
} from '@isopod/protocol'
import { UsageError } from '@isopod/service-kit'
import { plainName, wholeNumber } from '../option-values.ts'

/** The options of `isopod grade`, as they come from the command line. */
export interface GradeOptions {
  readonly dataset?: string
  readonly samples?: string
  readonly reference?: boolean
  readonly k?: string
  readonly language?: string
  readonly timeout?: string
  readonly compileTimeout?: string
  readonly jobTimeout?: string
  readonly memory?: string
  readonly cpus?: string
  readonly isolation?: string
  readonly separation?: string
  readonly reuse?: string
  readonly preload?: boolean
  readonly verbatim?: boolean
  readonly requireAll?: boolean
  readonly stopWhen?: string
  readonly judgeErrors?: string
  readonly allTests?: boolean
  readonly repeat?: string
  readonly batchId?: string
  readonly inFlight?: string
  readonly tenant?: string
  readonly out?: string
  readonly details?: boolean
  readonly report?: string
  readonly json?: boolean
}

/** The checked {@link GradeOptions}. */
export interface GradePlan {
  /** Undefined: the one that the first record belongs to. */
  readonly dataset: Dataset | undefined
  /** Undefined for the data set's own solutions. */
  readonly samples: string | undefined
  readonly k: readonly number[]
  readonly language: string | undefined
  readonly limits: NonNullable<JobInput['limits']>
  /** Undefined: that of the problem, else of its language. */
  readonly separation: Separation | undefined
  /** Undefined: the deployment's. */
  readonly isolation: Isolation | undefined
  readonly reuse: 'never' | 'batch'
  readonly preload: boolean
  readonly verbatim: boolean
  readonly requireAll: boolean
  readonly stopWhen: 'never' | 'passed' | 'failed'
  readonly judgeErrors: 'fail' | 'exclude'
  readonly allTests: boolean
  readonly repeat: number
  readonly batchId: string | undefined
  readonly inFlight: number | undefined
  readonly tenant: string | undefined
  readonly out: string | undefined
  readonly details: boolean
  readonly report: string | undefined
}

const MAX_COUNT_OF_K = 20
const MAX_K = 1_000_000

/** Limits where neither the command line nor the problem sets one: what the data sets’ own graders give a sample. */
export function gradingDefaults(dataset: Dataset): NonNullable<JobInput['limits']> {
  return { timeoutSeconds: DEFAULT_TIMEOUT[dataset], cpus: 1 }
}

/** @throws {UsageError} naming the option, what was wanted and what was given */
export function parseGradeOptions(options: GradeOptions): GradePlan {
  if ((options.samples === undefined) === (options.reference !== true)) {
    const both = options.reference ? ', not both' : ''
    throw new UsageError(
      `--samples: give a file of samples, or --reference for the data set’s own solutions${both}`,
    )
  }
  if (options.out !== undefined && options.report !== undefined && sameFile(options.out, options.report)) {
    throw new UsageError(`--report: must be another file than --out, got ${JSON.stringify(options.report)}`)
  }
  if (options.details && options.out === undefined) throw new UsageError('--details: only with --out')
  if (options.stopWhen === 'failed' && options.k !== undefined && options.k !== '1') {
    throw new UsageError(`--stop-when: failed allows only --k 1, got ${JSON.stringify(options.k)}`)
  }
  const limits = {
    ...limit('timeoutSeconds', '--timeout', options.timeout),
    ...limit('compileSeconds', '--compile-timeout', options.compileTimeout),
    ...limit('jobSeconds', '--job-timeout', options.jobTimeout),
    ...limit('memoryMb', '--memory', options.memory),
    ...limit('cpus', '--cpus', options.cpus),
  }
  return {
    dataset: options.dataset === undefined ? undefined : oneOf('--dataset', options.dataset, DATASETS),
    samples: options.samples,
    k: listOfK(options.k ?? '1'),
    language: options.language,
    limits,
    separation:
      options.separation === undefined ? undefined : oneOf('--separation', options.separation, SEPARATIONS),
    isolation:
      options.isolation === undefined ? undefined : oneOf('--isolation', options.isolation, ISOLATIONS),
    reuse: oneOf('--reuse', options.reuse ?? 'never', ['never', 'batch']),
    preload: options.preload ?? false,
    verbatim: options.verbatim ?? false,
    requireAll: options.requireAll ?? false,
    stopWhen: oneOf('--stop-when', options.stopWhen ?? 'never', ['never', 'passed', 'failed']),
    judgeErrors: oneOf('--judge-errors', options.judgeErrors ?? 'fail', ['fail', 'exclude']),
    allTests: options.allTests ?? false,
    repeat: wholeNumber('--repeat', options.repeat ?? '1', 20),
    batchId: options.batchId === undefined ? undefined : plainName('--batch-id', options.batchId, 100),
    inFlight:
      options.inFlight === undefined ? undefined : wholeNumber('--in-flight', options.inFlight, 10_000),
    tenant: options.tenant === undefined ? undefined : plainName('--tenant', options.tenant, 64),
    out: options.out,
    details: options.details ?? false,
    report: options.report,
  }
}

function sameFile(one: string, other: string): boolean {
  return resolve(one) === resolve(other)
}

function listOfK(text: string): number[] {
  const list = [...new Set(text.split(',').map((k) => wholeNumber('--k', k.trim(), MAX_K)))]
  if (list.length <= MAX_COUNT_OF_K) return list.sort((one, other) => one - other)
  throw new UsageError(`--k: must be at most ${MAX_COUNT_OF_K} numbers, got ${list.length}`)
}

function oneOf<const T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found !== undefined) return found
  throw new UsageError(`${option}: must be one of ${allowed.join(', ')}, got ${JSON.stringify(value)}`)
}

/** One of the limits, as the schema of jobs allows it. */
function limit(field: keyof typeof limitsSchema.shape, option: string, value: string | undefined) {
  if (value === undefined) return {}
  const given = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  const { error } = limitsSchema.shape[field].safeParse(given)
  if (error === undefined) return { [field]: given }
  throw new UsageError(`${option}: ${error.issues[0]?.message}, got ${JSON.stringify(value)}`)
}
