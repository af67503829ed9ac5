import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'
import { report, say } from './report.ts'

const MAX_ERROR_CHARACTERS = 2000

/** Reports the start of each file and the end of each test to the host. */
export default class GuestReporter implements Reporter {
  onTestModuleStart({ relativeModuleId }: TestModule): void {
    say(relativeModuleId)
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result()
    report({
      event: 'test',
      file: test.module.relativeModuleId,
      title: test.fullName,
      state: state === 'pending' ? 'skipped' : state,
      ms: Math.round(test.diagnostic()?.duration ?? 0),
      errors: errors.map(words),
    })
  }

  onTestModuleEnd(module: TestModule): void {
    // A file that does not load or a hook that fails counts as a failure, although its tests are only skipped.
    const { relativeModuleId: file } = module
    if (module.errors().length > 0) fail(file, 'the file itself', module.errors())
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) fail(file, suite.fullName, suite.errors())
    }
  }

  onTestRunEnd(_: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    if (unhandled.length > 0) fail('', 'outside any test', unhandled)
  }
}

function fail(file: string, title: string, errors: readonly SerializedError[]): void {
  report({ event: 'test', file, title, state: 'failed', ms: 0, errors: errors.map(words) })
}

function words({ message, stack, diff }: SerializedError): string {
  const where = stack?.split('\n').find((line) => /\.test\.ts|attack-spec|stage\.ts/.test(line))
  return [message, diff, where].filter(Boolean).join('\n').slice(0, MAX_ERROR_CHARACTERS)
}
