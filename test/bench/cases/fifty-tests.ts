import { readFile } from 'node:fs/promises'
import { compileCatalogue, DEFAULT_CATALOGUE_PATH } from '@isopod/languages'
import type { Language } from '@isopod/protocol'
import { type DockerSandbox, type Execution, openDockerSandbox } from '@isopod/sandbox'
import { parse } from 'yaml'
import type { Bench, BenchCase } from '../bench.ts'
import { IMAGES } from '../contenders/commands.ts'
import type { Program } from '../contenders/contender.ts'
import { runOnce } from '../contenders/docker-loop.ts'
import { laned } from '../contenders/laned.ts'
import { NAMES } from '../report/targets.ts'
import { interleave } from '../rounds.ts'

const NAME = 'fifty-tests'
const TESTS = 50
const SOURCE =
  '#include <stdio.h>\nint main(void) { int n; if (scanf("%d", &n) != 1) return 1; printf("%d\\n", n * n); }\n'

/** One compiled program, 50 inputs: a container for each, against runs that follow each other in one container. */
export const fiftyTests: BenchCase = {
  name: NAME,
  title: '50 tests on one compiled program, tests by the second',
  async run(bench) {
    const binary = await compiled(bench)
    const sandbox = await openSandbox(bench)
    try {
      await interleave(bench, NAME, bench.size(5, 1), [
        { name: NAMES.onePerTest, block: await onePerTest(bench, binary) },
        { name: NAMES.oneForAll, block: (round) => oneForAll(bench, sandbox, binary, round) },
      ])
    } finally {
      await sandbox.close()
    }
  },
}

async function compiled({ stage }: Bench): Promise<Buffer> {
  const words = ['sh', '-c', 'gcc -O2 -x c -o /workspace/main - && base64 /workspace/main']
  return Buffer.from(await runOnce(stage.engine, {}, IMAGES.c, words, SOURCE), 'base64')
}

/** The loop at its best concurrency; the program comes compiled, so that nothing is compiled twice. */
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
    await rated(bench, NAMES.onePerTest, async () => void (await loop.runAll(inputs)))
  }
}

async function oneForAll(bench: Bench, sandbox: DockerSandbox, binary: Buffer, round: number): Promise<void> {
  const { limits } = bench.stage.engine
  const language = await compiledLanguage()
  const used = new Set<string>()
  await rated(bench, NAMES.oneForAll, async () => {
    for (let n = 0; n < TESTS; n += 1) {
      const execution: Execution = {
        id: `${bench.stage.id}-${round}-${n}`,
        attempt: 1,
        language,
        code: SOURCE,
        limits,
        stdin: `${n}\n`,
        tools: { main: binary },
        sharedBy: `${bench.stage.id}-${round}`,
      }
      const { stdout, container } = await sandbox.run(execution)
      used.add(container.id)
      checkSquare(String(n), Buffer.from(stdout.bytes).toString())
    }
  })
  bench.book.note(`${TESTS} tests of one program went through ${used.size} container(s) of Isopod.`)
}

async function rated(bench: Bench, contender: string, run: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  await run()
  const seconds = (performance.now() - startedAt) / 1000
  bench.book.add({ case: NAME, contender, metric: 'rate', unit: '/s' }, TESTS / seconds)
}

function checkSquare(input: string, output: string): void {
  const n = Number(input)
  if (output !== `${n * n}\n`) throw new Error(`the square of ${n} came back as ${JSON.stringify(output)}`)
}

/** The catalogue's C, whose program is there already. */
async function compiledLanguage(): Promise<Language> {
  const text = await readFile(DEFAULT_CATALOGUE_PATH, 'utf8')
  const found = compileCatalogue(parse(text), DEFAULT_CATALOGUE_PATH).find('c')
  if (found === undefined) throw new Error('the catalogue has no C')
  const { compile: _, ...language } = found
  return { ...language, command: ['./main'] }
}

function openSandbox({ stage }: Bench): Promise<DockerSandbox> {
  return openDockerSandbox({
    address: stage.engine.dockerHost,
    deployment: stage.id,
    owner: stage.id,
    users: { first: 60_000, last: 60_255, gid: 65_534 },
    allowOldRunc: true,
    labels: stage.engine.labels,
  })
}
