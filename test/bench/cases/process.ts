import { fileURLToPath } from 'node:url'
import { humanEval } from '../../support/corpora.ts'
import type { BenchCase } from '../bench.ts'
import { PROCESS_MODES } from '../contenders/isopod.ts'
import { runProcess } from '../contenders/spawned.ts'
import { CPU_BESIDE_PROGRAM, CPU_OF_PROGRAM, LEFT_ON_HOST, NAMES } from '../names.ts'
import type { ProcessSandboxes } from '../processes/process-sandboxes.ts'
import { interleave } from '../rounds.ts'
import { spread, wholePrograms } from './corpus.ts'
import { idleCase } from './idle.ts'
import { HELLO } from './programs.ts'
import { helloSaturated, saturatedCase } from './saturated.ts'
import { growth } from './worker-memory.ts'

const SCRIPT = fileURLToPath(new URL('../processes/launch-process-sandboxes.mjs', import.meta.url))
const SANDBOXES = 10_000
/** More than the cores, so that none waits. */
const LANES = 3
const MODES_AT_SATURATION = PROCESS_MODES.filter(({ name }) => name !== NAMES.processWithoutPool)

/** Sandboxes of the process driver, one after the other and at saturation. */
export const PROCESS_CASES: readonly BenchCase[] = [
  idleCase({
    name: 'process-idle',
    title:
      'hello in Python in a process sandbox, one at a time, from submit until the producer has the result',
    program: HELLO.python,
    output: (stdout) => stdout === 'hello\n',
    others: [NAMES.plain],
    modes: PROCESS_MODES,
    full: [10, 20],
    quick: [1, 4],
  }),
  helloSaturated(
    'python',
    [NAMES.loop, NAMES.plain],
    MODES_AT_SATURATION,
    { full: [4, 120], quick: [1, 16] },
    {
      name: 'process-saturated',
      title: 'hello in Python in process sandboxes, many jobs at once, by the second',
    },
  ),
  saturatedCase({
    name: 'process-humaneval',
    title: '164 reference solutions of HumanEval in process sandboxes, all at once, by the second',
    others: [NAMES.plain],
    modes: MODES_AT_SATURATION,
    rounds: (bench) => bench.size(3, 1),
    programs: (bench) => spread(wholePrograms(humanEval()), bench.size(164, 24)),
  }),
  {
    name: 'process-leftovers',
    title: `${SANDBOXES.toLocaleString('en')} process sandboxes in a row without a queue: what each costs beside its program, and what is left`,
    async run(bench) {
      const { book, stage } = bench
      const block = async () => {
        const words = [
          SCRIPT,
          await stage.roots(),
          String(bench.size(SANDBOXES, SANDBOXES / 50)),
          String(LANES),
        ]
        const printed = await runProcess([process.execPath, ...words], '', process.env)
        const { rate, ownCpuMs, otherCpuMs, left, memoryMb } = JSON.parse(printed) as ProcessSandboxes
        const place = { case: 'process-leftovers', contender: NAMES.sandboxes } as const
        book.add({ ...place, metric: 'rate', unit: '/s' }, rate)
        book.add({ ...place, metric: CPU_OF_PROGRAM, unit: 'ms' }, ownCpuMs)
        book.add({ ...place, metric: CPU_BESIDE_PROGRAM, unit: 'ms' }, otherCpuMs)
        for (const [what, count] of Object.entries(left))
          book.add({ ...place, metric: `${LEFT_ON_HOST}${what}`, unit: 'count' }, count)
        if (!bench.quick)
          book.add(
            { ...place, metric: 'memory, last quarter above the third', unit: 'MB' },
            growth(memoryMb).late,
          )
      }
      await interleave(bench, 'process-leftovers', 1, [{ name: NAMES.sandboxes, block }])
    },
  },
]
