import type { BenchCase } from '../bench.ts'
import type { Program } from '../contenders/contender.ts'
import { MODES } from '../contenders/isopod.ts'
import { NAMES } from '../names.ts'
import { coldStart } from './cold-start.ts'
import { CORPUS_CASES } from './corpus.ts'
import { fairness } from './fairness.ts'
import { fiftyTests } from './fifty-tests.ts'
import { firstByte } from './first-byte.ts'
import { gateway } from './gateway.ts'
import { idleCase } from './idle.ts'
import { largeOutputs } from './large-outputs.ts'
import { PROCESS_CASES } from './process.ts'
import { HELLO, MEBIBYTE, NUMPY_PANDAS } from './programs.ts'
import { queueAlone } from './queue-alone.ts'
import { helloSaturated } from './saturated.ts'
import { workerMemory } from './worker-memory.ts'
import { workers } from './workers.ts'

const ALL_OTHERS = [NAMES.dockerRun, NAMES.loop, NAMES.plain]
const LOOPS = [NAMES.loopOurSeccomp, NAMES.loopCrun]
const WITHOUT_PRELOAD = MODES.filter(({ preload }) => !preload)
const OTHER_LANGUAGES = ['javascript', 'bash', 'c'] as const

/**
 * All cases, in order. Those without containers come first, while no other worker runs and Redis is empty.
 */
export const CASES: readonly BenchCase[] = [
  queueAlone,
  fairness,
  largeOutputs,
  gateway,
  workers,
  workerMemory,
  helloIdle('python', [15, 20], [1, 4]),
  ...OTHER_LANGUAGES.map((language) => helloIdle(language, [5, 10], [1, 2])),
  helloSaturated('python', [...ALL_OTHERS, ...LOOPS], MODES, { full: [6, 60], quick: [1, 16] }),
  ...OTHER_LANGUAGES.map((language) =>
    helloSaturated(language, ALL_OTHERS, hasPreload(language) ? MODES : WITHOUT_PRELOAD, {
      full: [3, 40],
      quick: [1, 6],
    }),
  ),
  ...CORPUS_CASES,
  fiftyTests,
  idleCase({
    name: 'output-1-mib',
    title: 'a Python program that prints 1 MiB, one at a time',
    program: MEBIBYTE,
    output: (stdout) => stdout.length === 2 ** 20,
    others: ALL_OTHERS,
    full: [5, 10],
    quick: [1, 2],
  }),
  idleCase({
    name: 'numpy-pandas',
    title: 'a Python program that imports numpy and pandas, one at a time',
    program: NUMPY_PANDAS,
    output: (stdout) => stdout === '3 2\n',
    others: [NAMES.loop, NAMES.plain],
    // Preloaded imports take half a second with half a core.
    pauseMs: 1000,
    full: [5, 6],
    quick: [1, 2],
  }),
  firstByte,
  coldStart,
  ...PROCESS_CASES,
]

function helloIdle(
  language: Program['language'],
  full: readonly [number, number],
  quick: readonly [number, number],
): BenchCase {
  return idleCase({
    name: `hello-${language}-idle`,
    title: `hello in ${language}, one at a time, from submit until the producer has the result`,
    program: HELLO[language],
    output: (stdout) => stdout === 'hello\n',
    others: ALL_OTHERS,
    modes: hasPreload(language) ? MODES : WITHOUT_PRELOAD,
    full,
    quick,
  })
}

/** Whether the language has an interpreter that can be preloaded. */
function hasPreload(language: Program['language']): boolean {
  return language === 'python' || language === 'javascript'
}
