import type { TestCase } from '@isopod/protocol'

/** The name of a test case; without one of its own, its number from 1. */
export function testName({ name }: Pick<TestCase, 'name'>, index: number): string {
  return name ?? String(index + 1)
}
