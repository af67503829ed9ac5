import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CHECKOUT } from '@isopod/devstack'
import type { GuestEvent, GuestTask } from '../protocol.ts'
import { DESCRIPTOR_VARIABLE, relay, report, say } from './report.ts'

const REPORTER = fileURLToPath(new URL('vitest-reporter.ts', import.meta.url))
/** Number of characters kept from the end of vitest's output, for a run that ends without a report. */
const KEPT = 4000

/** Runs spec files with vitest, whose reporter sends the end of each test to the host. */
export async function runSpecs(
  specs: readonly string[],
  { timeFactor, only }: Pick<GuestTask, 'timeFactor' | 'only'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  // Specs that must not run beside others are in a project of their own. All files share one process, because loading the
  // same modules for each file again would take most of the time.
  const projects = ['--project', 'system*', '--project', 'unit']
  const words = ['run', ...projects, '--reporter', REPORTER, '--maxWorkers', '1', '--no-isolate']
  const pattern = only === undefined ? [] : ['--testNamePattern', only]
  const child = spawn('vitest', [...words, ...pattern, ...specs], {
    cwd: CHECKOUT,
    env: {
      ...process.env,
      ...env,
      TEST_TIME_FACTOR: String(timeFactor),
      CI: 'true',
      [DESCRIPTOR_VARIABLE]: '3',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const counts = { tests: 0, failed: 0 }
  createInterface(child.stdio[3] as Readable).on('line', (line) => {
    const event = JSON.parse(line) as GuestEvent
    if (event.event === 'test') counts.tests += 1
    if (event.event === 'test' && event.state === 'failed') counts.failed += 1
    relay(line)
  })
  let output = ''
  for (const stream of child.stdio.slice(1, 3)) {
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-KEPT)
      for (const line of String(chunk).split('\n')) if (/^stack: /.test(line)) say(line)
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  // A run without tests is a failure, and so is one that failed for another reason than a test.
  if (counts.tests === 0 || (code !== 0 && counts.failed === 0)) fail(specs, output)
}

function fail(specs: readonly string[], output: string): void {
  const title = 'vitest'
  report({ event: 'test', file: specs.join(' '), title, state: 'failed', ms: 0, errors: [output] })
}
