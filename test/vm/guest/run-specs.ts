import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CHECKOUT } from '@isopod/devstack'
import type { GuestTask } from '../protocol.ts'
import { report, say } from './report.ts'

const REPORTER = fileURLToPath(new URL('vitest-reporter.ts', import.meta.url))
/** Of what vitest prints the last characters are kept, for a run that ends without a word. */
const KEPT = 4000

/** Runs spec files with vitest; its reporter tells the host how each test ended. */
export async function runSpecs(
  specs: readonly string[],
  { timeFactor, only }: Pick<GuestTask, 'timeFactor' | 'only'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  // «project*»: the few specs that run alone are in a project of their own.
  const words = ['run', '--project', 'system*', '--reporter', REPORTER, '--maxWorkers', '1']
  const pattern = only === undefined ? [] : ['--testNamePattern', only]
  const child = spawn('vitest', [...words, ...pattern, ...specs], {
    cwd: CHECKOUT,
    env: { ...process.env, ...env, TEST_TIME_FACTOR: String(timeFactor), CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-KEPT)
      for (const line of String(chunk).split('\n')) if (/^stack: /.test(line)) say(line)
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  // 1 is for failed tests, which were told one by one.
  if (code === 0 || code === 1) {
    if (output.includes('No test files found')) fail(specs, output)
    return
  }
  fail(specs, output)
}

function fail(specs: readonly string[], output: string): void {
  const title = 'vitest'
  report({ event: 'test', file: specs.join(' '), title, state: 'failed', ms: 0, errors: [output] })
}
