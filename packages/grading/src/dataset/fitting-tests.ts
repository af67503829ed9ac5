import { MAX_TESTS, MAX_TESTS_BYTES } from '@isopod/protocol'
import type { TestInput } from './problem.ts'
import type { Fields } from './record.ts'

/** Maximum size of each text of a test, in bytes. */
const MAX_TEXT_BYTES = 1024 * 1024

/**
 * The tests of a published problem that a job can have. Others exceed its limits (1 MiB of input, for example) and are counted;
 * the caller says so.
 *
 * @throws {DatasetError} if no test is left
 */
export function fittingTests(
  record: Fields,
  tests: readonly TestInput[],
): { readonly tests: readonly TestInput[]; readonly leftOut?: number } {
  let total = 0
  const fitting = tests.filter(({ stdin = '', expected = '', script = '' }) => {
    const sizes = [stdin, expected, script].map((text) => Buffer.byteLength(text))
    const size = sizes.reduce((sum, each) => sum + each, 0)
    if (Math.max(...sizes) > MAX_TEXT_BYTES || total + size > MAX_TESTS_BYTES) return false
    total += size
    return true
  })
  const kept = fitting.slice(0, MAX_TESTS)
  if (kept.length === tests.length) return { tests: kept }
  if (kept.length > 0) return { tests: kept, leftOut: tests.length - kept.length }
  throw record.recordError(`tests: must have one within the limits of a job, got ${tests.length} larger ones`)
}
