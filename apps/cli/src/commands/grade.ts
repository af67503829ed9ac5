import type { Batch, BatchSummary, Sample } from '@isopod/client'
import { Grades, gradingJob, type ProblemSet } from '@isopod/grading'
import { findLanguage, unsupportedLanguage } from '@isopod/protocol'
import { EXIT, type ExitCode, UsageError } from '@isopod/service-kit'
import { BaseScores } from '../grade/base-scores.ts'
import { derivedBatchId } from '../grade/batch-id.ts'
import { type Coverage, coverageNotes, coverageOf, namesOf, requireAll } from '../grade/coverage.ts'
import {
  type GradeOptions,
  type GradePlan,
  gradingDefaults,
  parseGradeOptions,
} from '../grade/grade-options.ts'
import { startGradeProgress } from '../grade/grade-progress.ts'
import { gradeReport } from '../grade/grade-report.ts'
import { gradeTable } from '../grade/grade-table.ts'
import { loadProblems } from '../grade/load-problems.ts'
import { OutcomeRecorder, sampleId } from '../grade/outcome-recorder.ts'
import { ResultsFile } from '../grade/results-file.ts'
import {
  type SampleScan,
  type SampleSource,
  samplesOfFile,
  samplesOfReference,
  scanSamples,
} from '../grade/sample-source.ts'
import { checkOutput, writeAtomically } from '../grade/write-file.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, note, write } from '../io.ts'
import type { JobClient } from '../job-client.ts'
import { offeredLanguages } from '../offered-languages.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { widthOf } from '../terminal/table.ts'
import { countText } from '../terminal/units.ts'
import { withClient } from '../with-client.ts'

/** What is known before the first sample runs. */
interface Grading {
  readonly plan: GradePlan
  readonly problems: ProblemSet
  readonly source: SampleSource
  readonly scan: SampleScan
  readonly id: string
  readonly coverage: Coverage
  readonly grades: Grades
  /** Undefined if the data set has no base tests. */
  readonly base: BaseScores | undefined
  readonly recorder: OutcomeRecorder
  /** Undefined without `--out`. */
  readonly results: ResultsFile | undefined
}

/**
 * `isopod grade`: judges samples of a data set's problems as one batch, which the same command resumes after Ctrl-C.
 * Exit code 0 if each was judged, 3 if a fault of the platform remains.
 */
export async function gradeCommand(
  io: Io,
  services: Services,
  file: string,
  options: GradeOptions,
): Promise<ExitCode> {
  const grading = await prepare(file, parseGradeOptions(options))
  announce(io, grading)
  return await withClient(io, services, (client) =>
    interruptible(async (signal) => {
      await checkLanguage(io, client, grading)
      const summary = await judge(io, client, grading, signal)
      if (summary === undefined) return EXIT.interrupted
      await deliver(io, file, grading, summary, options.json ?? false)
      return summary.faults > 0 ? EXIT.platform : EXIT.success
    }),
  )
}

/** Reads all files first, so that a mistake in them is found before anything runs. */
async function prepare(file: string, plan: GradePlan): Promise<Grading> {
  const read = plan.samples === undefined ? [file] : [file, plan.samples]
  if (plan.out !== undefined) await checkOutput('--out', plan.out, read)
  if (plan.report !== undefined) await checkOutput('--report', plan.report, read)
  const problems = await loadProblems(plan.dataset, file)
  const source =
    plan.samples === undefined ? samplesOfReference(problems) : samplesOfFile(plan.samples, problems)
  const scan = await scanSamples(source, plan.language)
  const coverage = coverageOf(problems.all(), scan.perProblem)
  if (plan.requireAll) requireAll(coverage)
  const grades = new Grades()
  const base = new BaseScores()
  const hasBase = [...problems.all()].some(({ baseTests }) => baseTests !== undefined)
  return {
    plan,
    problems,
    source,
    scan,
    id: plan.batchId ?? derivedBatchId(plan, problems, scan.digest),
    coverage,
    grades,
    base: hasBase ? base : undefined,
    recorder: new OutcomeRecorder(grades, base, plan.details),
    results: plan.out === undefined ? undefined : new ResultsFile(plan.out),
  }
}

function announce(io: Io, { plan, problems, scan, id, coverage }: Grading): void {
  const problemCount = countText(problems.size, `${problems.dataset} problem`)
  note(io, `isopod: ${countText(scan.count, 'sample')} of ${problemCount}, batch ${id}`)
  if (scan.fenced > 0) {
    const judged = plan.verbatim
      ? 'judged unchanged, fences included'
      : 'the first block in the sample’s language is judged (--verbatim judges all of it)'
    note(io, `isopod: ${countText(scan.fenced, 'sample')} with Markdown fences: ${judged}`)
  }
  if (problems.untested.size > 0)
    note(
      io,
      `isopod: ${countText(problems.untested.size, 'problem')} without tests, left out: ${namesOf([...problems.untested])}`,
    )
  const leftOut = [...problems.all()].reduce((sum, problem) => sum + (problem.leftOut ?? 0), 0)
  if (leftOut > 0) note(io, `isopod: ${countText(leftOut, 'test')} larger than a job allows, left out`)
  if (plan.separation === undefined && [...problems.all()].some(({ separation }) => separation === 'none'))
    note(io, 'isopod: the tests of this data set run in the process of the code (separation: none)')
  for (const line of coverageNotes(coverage)) note(io, `isopod: ${line}`)
}

/**
 * Refuses a language that is unknown, or that cannot run scripts as asked, with the option's name; the client's error would name
 * a field of the first sample.
 */
async function checkLanguage(io: Io, client: JobClient, { plan, problems, scan }: Grading): Promise<void> {
  const { language, separation } = plan
  const offered = await offeredLanguages(io, client, scan.languages)
  if (offered === undefined) return
  if (language !== undefined && !findLanguage(offered, language)) {
    throw new UsageError(`--${unsupportedLanguage(offered, language)}`)
  }
  const hasScripts = [...problems.all()].some(({ tests }) => tests.some(({ script }) => script !== undefined))
  if (separation === undefined || !hasScripts) return
  const unable = [...scan.languages]
    .flatMap((name) => findLanguage(offered, name) ?? [])
    .find(({ separations }) => separations?.includes(separation) === false)
  if (unable === undefined) return
  throw new UsageError(
    `--separation: must be none, because ${unable.name} runs scripts in the process of the code`,
  )
}

/** Runs the batch to its end; undefined if it was interrupted. */
async function judge(
  io: Io,
  client: JobClient,
  grading: Grading,
  signal: AbortSignal,
): Promise<BatchSummary | undefined> {
  const { plan, problems, scan, id, recorder, results } = grading
  const progress = startGradeProgress(io.stderr, scan.count)
  const batch: Batch = client.batch({
    id,
    samples: samplesOf(grading),
    total: scan.count,
    k: plan.k,
    stopWhen: plan.stopWhen,
    judgeErrors: plan.judgeErrors,
    signal,
    onProgress: (now) => progress.show(now),
    ...(plan.inFlight === undefined ? {} : { inFlight: plan.inFlight }),
  })
  let resumed = 0
  try {
    for await (const sample of batch) {
      if (sample.resumed) resumed += 1
      const problem = problems.find(sample.problem)
      if (problem === undefined) continue
      const row = recorder.judged(Number(sample.id) - 1, problem, sample)
      await results?.add(row, !sample.resumed)
    }
    const summary = await batch.summary()
    progress.stop()
    if (resumed > 0) note(io, `isopod: ${resumed} of the samples were judged by an earlier run of this batch`)
    return summary
  } catch (error) {
    progress.stop()
    if (!signal.aborted) throw error
    const { done } = batch.progress()
    note(io, `isopod: stopped at ${done} of ${scan.count}; the same command resumes there (batch ${id})`)
    return undefined
  } finally {
    await results?.close()
  }
}

async function* samplesOf({ plan, problems, source, id, recorder }: Grading): AsyncGenerator<Sample> {
  const { language, limits, verbatim, reuse, preload, allTests, repeat, tenant } = plan
  const { isolation, separation } = plan
  const job = {
    // A sample passes only if all of its tests pass, so one failure decides.
    ...(allTests ? {} : { stopOnFirstFailure: true }),
    ...(reuse === 'batch' ? { reuse, batchId: id } : {}),
    ...(preload ? { preload } : {}),
    ...(isolation === undefined ? {} : { isolation }),
    ...(separation === undefined ? {} : { separation }),
    ...(repeat > 1 ? { repeat } : {}),
    ...(tenant === undefined ? {} : { tenant }),
  }
  for await (const given of source()) {
    const made = gradingJob(given.problem, given.solution, {
      language,
      verbatim,
      limits,
      defaultLimits: gradingDefaults(problems.dataset),
      job,
    })
    recorder.sent(given, made.code)
    yield { id: sampleId(given), problem: given.problem.id, job: made }
  }
}

/** Writes the requested files and prints the outcome. */
async function deliver(
  io: Io,
  file: string,
  grading: Grading,
  summary: BatchSummary,
  json: boolean,
): Promise<void> {
  const { plan, source, scan, coverage, grades, base, recorder, results } = grading
  const basePassAt = base?.passAt(plan.k)
  await results?.finish(recorder.rows(source))
  if (plan.report !== undefined)
    await writeAtomically(plan.report, gradeReport(file, grading, summary, new Date()))
  const { counts: verdicts, flakyCount: flaky, suspiciousCount: suspicious } = grades
  await write(
    io.stdout,
    json
      ? jsonLine({
          ...summary,
          ...(basePassAt === undefined ? {} : { basePassAt }),
          verdicts,
          separation: Object.fromEntries(grades.separations),
          flaky,
          suspicious,
          fenced: scan.fenced,
          missing: coverage.missing,
          fewer: coverage.fewer,
        })
      : gradeTable(grades, { ...summary, basePassAt }, widthOf(io.stdout)),
  )
  if (base !== undefined && base.unknown > 0) {
    const samples = countText(base.unknown, 'failed sample')
    note(io, `isopod: ${samples} without a base score, because the results are no longer stored`)
  }
  if (plan.out !== undefined) note(io, `isopod: results in ${plan.out}`)
  if (plan.report !== undefined) note(io, `isopod: report in ${plan.report}`)
}
