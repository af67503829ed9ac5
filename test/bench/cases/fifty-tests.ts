import type { IsopodClient } from '@isopod/client'
import { IMAGES } from '@isopod/devstack'
import type { Bench, BenchCase } from '../bench.ts'
import type { Program } from '../contenders/contender.ts'
import { runOnce } from '../contenders/docker-loop.ts'
import { laned } from '../contenders/laned.ts'
import { NAMES } from '../names.ts'
import { interleave } from '../rounds.ts'

const NAME = 'fifty-tests'
const TESTS = 50
/** Concurrent jobs, each with all tests. A single one would leave the host mostly idle, with half a core for its container. */
const JOBS = 8
const SOURCE =
  '#include <stdio.h>\nint main(void) { int n; if (scanf("%d", &n) != 1) return 1; printf("%d\\n", n * n); }\n'

/** One program with 50 inputs: one container per input for the compiled program, compared with jobs with 50 tests. */
export const fiftyTests: BenchCase = {
  name: NAME,
  title: '50 tests on one compiled program, tests by the second',
  async run(bench) {
    const binary = await compiled(bench)
    const client = await bench.stage.client()
    await interleave(bench, NAME, bench.size(5, 1), [
      { name: NAMES.onePerTest, block: await onePerTest(bench, binary) },
      { name: NAMES.oneForAll, block: () => oneForAll(bench, client) },
    ])
  },
}

async function compiled({ stage }: Bench): Promise<Buffer> {
  const words = ['sh', '-c', 'gcc -O2 -x c -o /workspace/main - && base64 /workspace/main']
  return Buffer.from(await runOnce(stage.engine, {}, IMAGES.c, words, SOURCE), 'base64')
}

/** Runs the compiled program in the loop at its best concurrency. */
async function onePerTest(bench: Bench, binary: Buffer): Promise<() => Promise<void>> {
  const unpack = `head -c ${binary.length} > main && chmod +x main && exec ./main`
  const test = async ({ code }: Program) => {
    const stdin = Buffer.concat([binary, Buffer.from(code)])
    const stdout = await runOnce(bench.stage.engine, {}, IMAGES.c, ['sh', '-c', unpack], stdin)
    checkSquare(code, stdout)
    return { stdout }
  }
  const inputs = Array.from({ length: TESTS }, (_, n) => ({ language: 'c', code: `${n}\n` }) as const)
  const loop = laned(NAMES.onePerTest, test, {
    candidates: bench.quick ? [2, 4] : [1, 2, 3, 4, 6],
    programs: inputs.slice(0, bench.size(24, 8)),
    onBest: (name, lanes) => bench.book.note(`${name}: ${lanes} at once were its best.`),
  })
  return async () => {
    await loop.tune()
    await rated(bench, NAMES.onePerTest, TESTS, async () => void (await loop.runAll(inputs)))
  }
}

/**
 * Measures from submit until the producer has the verdicts, including the compile run, with enough jobs to keep the worker
 * busy.
 */
async function oneForAll(bench: Bench, client: IsopodClient): Promise<void> {
  const tests = Array.from({ length: TESTS }, (_, n) => ({ stdin: `${n}\n`, expected: `${n * n}\n` }))
  const job = { language: 'c', code: SOURCE, tests }
  await rated(bench, NAMES.oneForAll, JOBS * TESTS, async () => {
    const ids = await client.submitMany(Array.from({ length: JOBS }, () => job))
    for (const { summary, errorMessage } of await Promise.all(ids.map((id) => client.wait(id)))) {
      if (summary?.passed !== TESTS) throw new Error(`a job with tests ended otherwise: ${errorMessage}`)
    }
  })
}

async function rated(
  bench: Bench,
  contender: string,
  tests: number,
  run: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now()
  await run()
  const seconds = (performance.now() - startedAt) / 1000
  bench.book.add({ case: NAME, contender, metric: 'rate', unit: '/s' }, tests / seconds)
}

function checkSquare(input: string, output: string): void {
  const n = Number(input)
  if (output !== `${n * n}\n`) throw new Error(`the square of ${n} came back as ${JSON.stringify(output)}`)
}
