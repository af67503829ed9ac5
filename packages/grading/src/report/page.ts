import { createHash } from 'node:crypto'
import { BEHAVIOUR } from './behaviour.ts'
import type { Grades } from './grades.ts'
import { Html, html } from './html.ts'
import { MAX_PROBLEMS_WITH_DETAILS, PROBLEM_HEAD, passedShare, problemRows } from './problem-rows.ts'
import type { ReportText } from './report-text.ts'
import {
  distributions,
  keyFigures,
  passRates,
  remarks,
  separations,
  slowest,
  verdictShares,
} from './sections.ts'
import { STYLE } from './style.ts'
import { counted } from './units.ts'

/**
 * The report of a batch as one self-contained page: it loads nothing, and its policy allows only its own script, by hash.
 * Yields the page in chunks, because it can be long.
 */
export function* reportPage(grades: Grades, text: ReportText): Generator<string> {
  yield head(text).toString()
  yield html`<body><main class="page"><header><h1>${text.title}</h1>
    <p class="soft small">Batch ${text.batch} · ${text.madeAt}${text.settings.map((setting) => ` · ${setting}`)}</p></header>
${keyFigures(grades, text)}
<div class="two">${verdictShares(grades)}${passRates(text)}</div>
${separations(grades)}
${distributions(grades)}
<div class="two">${slowest(grades)}${remarks(grades, text)}</div>
`.toString()
  yield* problemTable(grades)
  yield html`</main><script>${new Html(BEHAVIOUR)}</script></body></html>\n`.toString()
}

function head({ title }: ReportText): Html {
  const policy = [
    "default-src 'none'",
    `style-src '${hash(STYLE)}'`,
    `script-src '${hash(BEHAVIOUR)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  // Our own text, left unescaped so that the policy keeps its quotes.
  const meta = new Html(`<meta http-equiv="Content-Security-Policy" content="${policy}">`)
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">${meta}<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Html(STYLE)}</style></head>
`
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Problems that need review come first. If there are very many, only these have details. */
function* problemTable(grades: Grades): Generator<string> {
  const problems = [...grades.problems.values()].sort((one, other) => passedShare(one) - passedShare(other))
  const folded = problems.filter(({ details }) => details.length > 0).length
  const plain = Math.max(0, folded - MAX_PROBLEMS_WITH_DETAILS)
  const leftOut = [
    grades.detailsLeftOut > 0
      ? `${counted(grades.detailsLeftOut, 'sample')} that did not pass ${grades.detailsLeftOut === 1 ? 'has' : 'have'} no details here, to keep the page usable.`
      : '',
    plain > 0 ? `Details of ${counted(plain, 'problem')} are left out for the same reason.` : '',
  ].filter((sentence) => sentence !== '')
  yield html`<section aria-labelledby="problems-title">
    <h2 id="problems-title">Problems</h2>${leftOut.length > 0 ? html`<p class="soft small">${leftOut.join(' ')}</p>` : undefined}
<div class="tools" id="tools" hidden>
  <label>Search<input id="search" type="search" autocomplete="off" spellcheck="false"></label>
  <label>Show<select id="choose"><option value="">all problems</option>
  <option value="open">with a sample that did not pass</option>
  <option value="unsolved">without a pass</option><option value="passed">all samples passed</option>
  <option value="suspicious">suspicious</option><option value="flaky">flaky</option>
  <option value="judge-error">judge errors</option>
  <option value="fault">platform faults</option></select></label>
  <output id="shown" class="soft small" for="search choose"></output></div>
<div class="scroll" role="region" tabindex="0" aria-labelledby="problems-title"><table id="problems">${PROBLEM_HEAD}
`.toString()
  let unfolded = 0
  for (const problem of problems) {
    if (problem.details.length > 0) unfolded += 1
    yield problemRows(unfolded > MAX_PROBLEMS_WITH_DETAILS ? { ...problem, details: [] } : problem).toString()
  }
  yield '</table></div></section>\n'
}
