import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node'

/**
 * Ends a run with the reasons for skipped tests and, as the last line, the totals: `N passed, N failed, N skipped`.
 */
export class TotalsReporter implements Reporter {
  #pattern: RegExp | undefined

  onInit({ config }: Vitest): void {
    this.#pattern = config.testNamePattern
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const lines = [...skippedLines(modules, this.#pattern), totalsLine(modules, unhandled.length)]
    // The default reporter writes its summary after this hook; the totals come after the summary.
    process.once('exit', () => process.stdout.write(`\n${lines.join('\n')}\n`))
  }
}

/** Counts tests. A file that did not load and an error outside any test count as failures, too. */
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

/** One line for each reason with the number of tests skipped for it; tests outside the name pattern are left out. */
function skippedLines(modules: readonly TestModule[], asked = /./): string[] {
  const reasons = new Map<string, number>()
  for (const module of modules) {
    for (const test of module.children.allTests('skipped')) {
      if (!asked.test(test.fullName)) continue
      const reason = skipReason(test)
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
  }
  return [...reasons].map(([reason, count]) => `skipped ${count}: ${reason}`)
}

/** The reason that a test gave to `context.skip`, or the name of the test without one. */
function skipReason(test: TestCase): string {
  const result = test.result()
  const note = result.state === 'skipped' ? result.note : undefined
  return note ?? `no reason given: ${test.module.relativeModuleId} > ${test.fullName}`
}
