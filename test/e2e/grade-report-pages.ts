import { type GradedSample, Grades, reportPage, type SampleVerdict } from '@isopod/grading'
import type { Result } from '@isopod/protocol'
import { sampleResult } from '../support/samples.ts'

const TEXT = {
  title: 'set.jsonl · samples.jsonl',
  batch: 'grade-1',
  madeAt: '2026-11-21 10:00 UTC',
  settings: ['3 s a test'],
  withoutSamples: ['task/x'],
  retriedFaults: 2,
  passAt: { 1: { estimate: 0.5, low: 0.4, high: 0.6, problems: 40 }, 10: null },
}

/** A sample with one test that took this long. */
function sample(number: number, problem: string, verdict: SampleVerdict, wallMs: number): GradedSample {
  const judged = verdict === 'passed' || verdict === 'timeout' ? verdict : 'runtime_error'
  const test = {
    name: '1',
    verdict: judged,
    exitCode: 1,
    signal: null,
    wallMs,
    cpuMs: wallMs,
    memoryPeakBytes: 9_000_000 + number,
    diff: judged === 'passed' ? null : 'exit code 1: AssertionError',
  } as const
  const tests = [number === 1 ? { ...test, suspicious: 'ended before its tests did' } : test]
  return {
    number,
    problem,
    verdict,
    code: 'def f():\n    return 1\n',
    result: sampleResult({ tests }),
    flaky: number === 5,
  }
}

/** 40 problems, each slower than the one before. */
export function ordinaryReport(): Iterable<string> {
  const grades = new Grades()
  const verdicts = ['passed', 'runtime_error', 'timeout', 'fault', 'compile_error', 'skipped'] as const
  for (let at = 0; at < 40; at++) {
    grades.add(sample(at, `task/${at}`, 'passed', 5 * 1.2 ** at))
    const verdict = verdicts[at % 6] ?? 'passed'
    grades.add(sample(at + 100, `task/${at}`, verdict, 5))
  }
  return reportPage(grades, TEXT)
}

/** Ten samples of each of 2,000 problems, most of them failed and all with long programs. */
export function largeReport(): Iterable<string> {
  const grades = new Grades()
  for (let number = 0; number < 20_000; number++) {
    const one = sample(
      number,
      `task/${number % 2000}`,
      number % 3 === 0 ? 'passed' : 'runtime_error',
      5 + (number % 997),
    )
    grades.add({ ...one, code: `${'x = 1 # <&>\n'.repeat(400)}${number}` })
  }
  return reportPage(grades, TEXT)
}

const ATTACKS = [
  '<script>window.hacked = 1</script>',
  '</script><script>window.hacked = 1</script>',
  '</title><img src=x onerror="window.hacked = 1">',
  `" onmouseover="window.hacked = 1" x='`,
  '<a href="javascript:window.hacked=1">x</a>',
  '</pre></details></table></style><style>* { display: none }</style>',
  '<!-- ',
  ']]>&lt;b&gt;',
  '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  'a\u0000b',
  '\ud800 and \udc00',
  'left\u202eright\u2066x',
  '\ufffe\uffff\u0085\u2028\u2029\ufeff',
  'W'.repeat(100_000),
  '`$\u007bwindow.hacked = 1}`',
] as const

/** Parts of the hostile texts as the page must show them. */
export const HOSTILE = {
  shown: [
    '<script>window.hacked = 1</script>',
    '</title><img src=x onerror="window.hacked = 1">',
    '<a href="javascript:window.hacked=1">x</a>',
    '␛[31mred␛[0m␛]0;title␇',
    'a␀b',
    '\\u{d800} and \\u{dc00}',
    'left\\u{202e}right\\u{2066}x',
    '\\u{fffe}\\u{ffff}\\u{85}\\u{2028}\\u{2029}\\u{feff}',
    ']]>&lt;b&gt;',
    '__proto__',
    'hasOwnProperty',
    'characters)',
  ],
} as const

/** A report in which every text from data sets and programs is hostile. */
export function hostileReport(): Iterable<string> {
  const grades = new Grades()
  for (const [at, text] of [...ATTACKS, '__proto__', 'constructor', 'hasOwnProperty'].entries()) {
    const base = sample(at * 3, text.slice(0, 256), 'runtime_error', 5)
    const test = {
      ...base.result?.tests?.[0],
      name: text,
      diff: text,
      suspicious: text,
      verdict: 'runtime_error',
    }
    const result = sampleResult({ stdout: text, stderr: text, compileOutput: text, errorMessage: text })
    const judged = { ...result, tests: [test] } as Result
    grades.add({ ...base, code: text, result: judged })
    grades.add({ ...base, number: at * 3 + 1, verdict: 'fault', code: text, result })
  }
  const [title = ''] = ATTACKS.slice(2)
  return reportPage(grades, {
    ...TEXT,
    title,
    batch: title,
    settings: [...ATTACKS.slice(0, 6)],
    withoutSamples: [...ATTACKS.slice(0, 12)],
  })
}
