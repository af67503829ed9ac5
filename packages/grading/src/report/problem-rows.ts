import type { Detail } from './detail.ts'
import type { ProblemGrades } from './grades.ts'
import { type Html, html } from './html.ts'
import { SAMPLE_VERDICTS, type SampleVerdict, VERDICT_WORDS } from './sample-verdict.ts'
import { count, counted, duration, mebibytes, percentText } from './units.ts'

/** Maximum number of problems with details; more would make the page slow. */
export const MAX_PROBLEMS_WITH_DETAILS = 3_000

/** The head of the table of problems. */
export const PROBLEM_HEAD = html`<thead><tr><th scope="col">Problem</th>
  <th scope="col" class="number">Passed</th><th scope="col" class="number wide">Samples</th>
  <th scope="col">Verdicts</th><th scope="col" class="number slow">Slowest</th>
  <th scope="col" class="number wide">Peak memory</th></tr></thead>`

/** The row of one problem, with collapsible details of its samples. */
export function problemRows(grades: ProblemGrades): Html {
  const { problem, samples, counts, wallMs, memoryPeakBytes, suspicious, flaky, details } = grades
  const { judged } = grades
  const share = passedShare(grades)
  const given = SAMPLE_VERDICTS.filter((verdict) => counts[verdict] > 0)
  const verdicts = given.map(
    (verdict, at) =>
      html`${at === 0 ? '' : ', '}<span class="verdict">${swatch(verdict)}${VERDICT_WORDS[verdict]}${samples === 1 ? '' : ` ${count(counts[verdict])}`}</span>`,
  )
  const kinds = [
    judged === 0 ? '' : counts.passed === judged ? 'passed' : 'open',
    counts.passed === 0 ? 'unsolved' : '',
    suspicious > 0 ? 'suspicious' : '',
    flaky > 0 ? 'flaky' : '',
    counts.judge_error > 0 ? 'judge-error' : '',
    counts.fault > 0 ? 'fault' : '',
  ].filter((kind) => kind !== '')
  return html`<tbody data-kinds="${kinds.join(' ')}"><tr><th scope="row">${problem}</th>
    <td class="number" data-value="${share}">${judged === 0 ? '–' : percentText(share)}</td>
    <td class="number wide" data-value="${samples}">${count(samples)}</td>
    <td>${verdicts}${tag(suspicious, 'suspicious')}${tag(flaky, 'flaky')}</td>
    <td class="number slow" data-value="${wallMs ?? -1}">${duration(wallMs)}</td>
    <td class="number wide" data-value="${memoryPeakBytes ?? -1}">${mebibytes(memoryPeakBytes)}</td>
    </tr>${details.length > 0 ? more(details, grades) : undefined}</tbody>
`
}

/** The share of passed samples among those with a verdict; 0 if there are none. */
export function passedShare({ judged, counts }: Pick<ProblemGrades, 'judged' | 'counts'>): number {
  return judged === 0 ? 0 : counts.passed / judged
}

/** A square in the colour of a verdict; the word always accompanies it. */
export function swatch(verdict: SampleVerdict): Html {
  return html`<span class="swatch v-${verdict}" aria-hidden="true"></span>`
}

function tag(number: number, word: string): Html | undefined {
  return number > 0 ? html` <span class="tag">${word}</span>` : undefined
}

function more(details: readonly Detail[], { problem, samples, counts }: ProblemGrades): Html {
  const unshown =
    samples -
    counts.fault -
    counts.skipped -
    counts.passed -
    details.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'fault').length
  const rest =
    unshown > 0
      ? html`<p class="soft small">${counted(unshown, 'more sample')} did not pass; not shown.</p>`
      : undefined
  return html`<tr class="more"><td colspan="6">
    <details><summary>${counted(details.length, 'sample')} of ${problem}</summary>${details.map(sampleOf)}${rest}
    </details></td></tr>`
}

function sampleOf(detail: Detail): Html {
  const { number, verdict, message, suspicious, tests, output, errors, code } = detail
  return html`<div class="sample">
    <p>${swatch(verdict)}<strong>Sample ${number}: ${VERDICT_WORDS[verdict]}</strong>${message === '' ? '' : ` · ${message}`}</p>${suspicious === undefined ? undefined : html`<p><span class="tag">suspicious</span> ${suspicious}</p>`}${block('Tests', tests.join('\n'))}${block('Output', output)}${block('Errors', errors)}${block('Code', code)}
    </div>`
}

function block(label: string, text: string): Html | undefined {
  return text.trim() === ''
    ? undefined
    : html`<p class="small soft">${label}</p><pre tabindex="0" aria-label="${label}">${text}</pre>`
}
