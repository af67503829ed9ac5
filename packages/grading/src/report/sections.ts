import { SEPARATIONS, type Separation } from '@isopod/protocol'
import { linearBins, logarithmicBins } from './bins.ts'
import { histogram, intervalChart, shareBar } from './charts.ts'
import type { Grades, Measure, ProblemGrades, Remark } from './grades.ts'
import { type Html, html } from './html.ts'
import { swatch } from './problem-rows.ts'
import type { ReportText } from './report-text.ts'
import { SAMPLE_VERDICTS, VERDICT_WORDS } from './sample-verdict.ts'
import { count, counted, duration, mebibytes, percentText } from './units.ts'

/** Maximum number of entries in a list. */
const MAX_SHOWN = 10
const MIB = 1024 * 1024

/** Where test scripts ran, in words. */
export const SEPARATION_WORDS: Readonly<Record<Separation, string>> = {
  process: 'process: apart from the code',
  both: 'both: apart from the code, and in its process',
  none: 'none: in the process of the code',
}

const mebibytesOf = (mib: number) => mebibytes(mib * MIB)

/** The main figures, and what they leave out: samples without a verdict, problems without a sample. */
export function keyFigures(grades: Grades, text: ReportText): Html {
  const rates = Object.entries(text.passAt).flatMap(([k, rate]) => (rate === null ? [] : [{ k, ...rate }]))
  const [first] = rates
  const solved = [...grades.problems.values()].filter(({ counts }) => counts.passed > 0).length
  const problems = grades.problems.size
  const faults = grades.counts.fault
  const missing = text.withoutSamples
  const figures = [
    first &&
      keyFigure(
        `pass@${first.k}`,
        percentText(first.estimate),
        `95 % interval ${percentText(first.low)} to ${percentText(first.high)}`,
      ),
    keyFigure('problems solved', count(solved), `of ${count(problems)}, by at least one sample`),
    keyFigure('samples passed', count(grades.counts.passed), `of ${count(grades.samples)}`),
    keyFigure(
      'platform faults',
      count(faults),
      `${count(text.retriedFaults)} more were run again and judged`,
    ),
    ...(grades.counts.judge_error === 0
      ? []
      : [
          keyFigure(
            'judge errors',
            count(grades.counts.judge_error),
            `programs that judge failed; ${grades.excludedCount > 0 ? 'not counted' : 'counted as not passed'}`,
          ),
        ]),
    keyFigure('suspicious', count(grades.suspiciousCount), 'programs that seem to deceive their tests'),
  ]
  const unjudged =
    faults > 0 &&
    alert(
      `${counted(faults, 'sample')} could not be judged.`,
      'A fault of the platform is not a failure of the code: it counts neither as passed nor as failed. The same command runs it again.',
    )
  const names = missing.slice(0, MAX_SHOWN).join(', ')
  const uncounted =
    missing.length > 0 &&
    alert(
      `Without a sample, and not counted: ${counted(missing.length, 'problem')} of the data set.`,
      missing.length > MAX_SHOWN ? `${names}, …` : names,
    )
  return html`<dl class="keys">${figures}</dl>${unjudged || undefined}${uncounted || undefined}`
}

/** Number of samples by verdict. */
export function verdictShares({ counts, samples }: Grades): Html {
  const rows = SAMPLE_VERDICTS.filter((verdict) => counts[verdict] > 0).map(
    (verdict) =>
      html`<tr><th scope="row">${swatch(verdict)}${VERDICT_WORDS[verdict]}</th>
        <td class="number">${count(counts[verdict])}</td>
        <td class="number">${percentText(counts[verdict] / samples)}</td></tr>`,
  )
  return html`<section><h2>Verdicts</h2>${shareBar(counts, Math.max(1, samples))}<table><thead><tr>
    <th scope="col">Verdict</th><th scope="col" class="number">Samples</th>
    <th scope="col" class="number">Share</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

/** Where the test scripts of the samples ran; undefined for data sets without scripts. */
export function separations(grades: Grades): Html | undefined {
  const rows = [...grades.separations].flatMap(([language, counts]) =>
    SEPARATIONS.filter((one) => counts[one] > 0).map(
      (one) =>
        html`<tr><th scope="row">${language}</th><td>${SEPARATION_WORDS[one]}</td>
        <td class="number">${count(counts[one])}</td></tr>`,
    ),
  )
  if (rows.length === 0) return undefined
  return html`<section><h2>Separation</h2><table><thead><tr><th scope="col">Language</th>
    <th scope="col">Test scripts ran</th><th scope="col" class="number">Samples</th></tr></thead><tbody>${rows}
    </tbody></table></section>`
}

/** pass@k for each requested k. */
export function passRates({ passAt }: ReportText): Html {
  const rates = Object.entries(passAt)
  const known = rates.flatMap(([k, rate]) => (rate === null ? [] : [{ label: `pass@${k}`, ...rate }]))
  const rows = rates.map(([k, rate]) =>
    rate === null
      ? html`<tr><th scope="row">pass@${k}</th>
        <td colspan="3" class="soft">no problem has ${counted(Number(k), 'judged sample')}</td></tr>`
      : html`<tr><th scope="row">pass@${k}</th><td class="number">${percentText(rate.estimate)}</td>
        <td class="number">${percentText(rate.low)} – ${percentText(rate.high)}</td>
        <td class="number">${count(rate.problems)}</td></tr>`,
  )
  const chart = known.length > 0 ? intervalChart('pass@k with 95 % intervals', known) : undefined
  return html`<section><h2>pass@k</h2>${chart}<table><thead><tr><th scope="col">Estimate</th>
    <th scope="col" class="number">Value</th><th scope="col" class="number">95 % interval</th>
    <th scope="col" class="number">Problems</th></tr></thead><tbody>${rows}</tbody></table>
    <p class="soft small">The chance that one of k samples of a problem passes: the unbiased estimate, the mean over problems, with Wilson’s interval.</p>
    </section>`
}

/** Time and memory of the samples. */
export function distributions({ times, memories }: Grades): Html {
  const time =
    times.length === 0
      ? undefined
      : distribution(
          'Time',
          times,
          logarithmicBins(times),
          'wall time of the slowest test, logarithmic',
          duration,
        )
  // In MiB, so that bins have round edges.
  const mib = memories.map(({ value, passed }) => ({ value: value / MIB, passed }))
  const memory =
    mib.length === 0 ? undefined : distribution('Memory', mib, linearBins(mib), 'peak memory', mebibytesOf)
  return html`<div class="two">${time}${memory}</div>`
}

function alert(title: string, text: string): Html {
  return html`<p class="alert" role="note"><strong>${title}</strong> ${text}</p>`
}

function keyFigure(label: string, value: string, note: string): Html {
  return html`<div class="key"><dd>${value}<span class="small">${note}</span></dd><dt>${label}</dt></div>`
}

function distribution(
  title: string,
  values: readonly Measure[],
  binned: ReturnType<typeof linearBins>,
  axis: string,
  tick: (value: number) => string,
): Html {
  const sorted = values.map(({ value }) => value).sort((one, other) => one - other)
  const at = (share: number) =>
    tick(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  const rows = binned.bins
    .filter(({ passed, others }) => passed + others > 0)
    .map(
      ({ low, high, passed, others }) =>
        html`<tr><th scope="row">${tick(low)} – ${tick(high)}</th><td class="number">${count(passed)}</td>
          <td class="number">${count(others)}</td></tr>`,
    )
  return html`<section><h2>${title}</h2>${histogram(binned, {
    title: `${title} of ${counted(values.length, 'sample')}`,
    axis,
    tick: (value) =>
      tick(value)
        .replace(/(\.\d*?)0+(?= )/, '$1')
        .replace(/\.(?= )/, ''),
  })}<p class="small"><span class="swatch v-passed" aria-hidden="true"></span>passed &nbsp; <span class="swatch v-others" aria-hidden="true"></span>did not pass</p><p class="small soft">Median ${at(0.5)}, 95 % within ${at(0.95)}, maximum ${at(1)}</p><details class="small"><summary>${title} as a table</summary><table><thead><tr><th scope="col">From – to</th><th scope="col" class="number">Passed</th><th scope="col" class="number">Did not</th></tr></thead><tbody>${rows}</tbody></table></details></section>`
}

/** The slowest problems, and those with changing verdicts. */
export function slowest(grades: Grades): Html {
  const problems = [...grades.problems.values()]
  const slow = top(problems, ({ wallMs }) => wallMs ?? 0)
  const flaky = top(problems, (problem) => problem.flaky)
  const rows = slow.map(
    ({ problem, wallMs }) =>
      html`<tr><th scope="row">${problem}</th><td class="number">${duration(wallMs)}</td></tr>`,
  )
  const flakyRows = flaky.map(
    (problem) =>
      html`<tr><th scope="row">${problem.problem}</th>
        <td class="number">${count(problem.flaky)} of ${count(problem.samples)}</td></tr>`,
  )
  return html`<section><h2>Slowest problems</h2>${
    rows.length > 0
      ? html`<table><thead><tr>
    <th scope="col">Problem</th><th scope="col" class="number">Slowest sample</th></tr></thead><tbody>${rows}
    </tbody></table>`
      : html`<p class="soft">Nothing ran.</p>`
  }
    <h3>Flaky problems</h3>${
      flakyRows.length > 0
        ? html`<table><thead><tr><th scope="col">Problem</th>
    <th scope="col" class="number">Flaky samples</th></tr></thead><tbody>${flakyRows}</tbody>
    </table>`
        : html`<p class="soft">None.</p>`
    }</section>`
}

function top(problems: readonly ProblemGrades[], value: (problem: ProblemGrades) => number): ProblemGrades[] {
  return problems
    .filter((problem) => value(problem) > 0)
    .sort((one, other) => value(other) - value(one))
    .slice(0, MAX_SHOWN)
}

/** Samples that a person should review. */
export function remarks(grades: Grades, text: ReportText): Html {
  return html`<section>
    <h2>Suspicious samples</h2>${remarkTable(grades.suspicious, grades.suspiciousCount, 'None.')}
    <h3>Judge errors</h3>
    <p class="soft small">A program that judges failed, or was none. This says nothing about the code.</p>${remarkTable(grades.judgeErrors, grades.counts.judge_error, 'None.')}
    <h3>Unverified</h3>
    <p class="soft small">Only the code itself could tell whether it is right.</p>${remarkTable(grades.unverified, grades.counts.unverified, 'None.')}
    <h3>Platform faults</h3>
    <p class="soft small">${counted(text.retriedFaults, 'fault')} were resolved by another run.</p>${remarkTable(grades.faults, grades.counts.fault, 'None.')}
    </section>`
}

function remarkTable(list: readonly Remark[], total: number, none: string): Html {
  if (list.length === 0) return html`<p class="soft">${none}</p>`
  const rows = list.map(
    ({ number, problem, verdict, text }) =>
      html`<tr>
        <th scope="row">${problem}<br><span class="soft small">sample ${number}, ${VERDICT_WORDS[verdict]}</span></th>
        <td>${text}</td></tr>`,
  )
  const rest =
    total > list.length
      ? html`<p class="soft small">${counted(total - list.length, 'more sample')}, not shown.</p>`
      : undefined
  return html`<div class="scroll remarks" tabindex="0" role="region" aria-label="Samples and reasons"><table>
    <thead><tr><th scope="col">Sample</th><th scope="col">Reason</th></tr></thead><tbody>${rows}</tbody>
    </table></div>${rest}`
}
