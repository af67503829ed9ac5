import type { TestCase } from '@isopod/protocol'

/** The name of a test case; if it has none, its number from 1. */
export function testName({ name }: Pick<TestCase, 'name'>, index: number): string {
  return name ?? String(index + 1)
}
