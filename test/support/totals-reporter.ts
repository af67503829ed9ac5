import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Closes a run with one plain line, `N passed, N failed, N skipped`, for whoever reads no more than the last one. */
export class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const line = totalsLine(modules, unhandled.length)
    // The default reporter is told of the end at the same time and writes its summary after us; this comes after both.
    process.once('exit', () => process.stdout.write(`\n${line}\n`))
  }
}

/** Counts tests; a file that did not load and an error outside any test are failures too. */
function totalsLine(modules: readonly TestModule[], unhandled: number): string {
  const count = { passed: 0, failed: unhandled, skipped: 0 }
  for (const module of modules) {
    count.failed += module.errors().length
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      count[state === 'pending' ? 'skipped' : state] += 1
    }
  }
  return `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`
}
