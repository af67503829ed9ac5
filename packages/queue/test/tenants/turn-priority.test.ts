import fc from 'fast-check'
import { expect, test } from 'vitest'
import { priorityOf, TURN_OF } from '../../src/tenants/turn-priority.ts'
import { useBench } from '../harness.ts'

const bench = useBench()

/** Where the number of turns of one priority changes, and far beyond the last. */
const EDGES = [1, 2 ** 20, 2 ** 20 + 2 ** 23, 2 ** 20 + 2 ** 23 + 2 ** 26, 2 ** 33]
const turns = fc.oneof(
  fc.double({ min: 1, max: 2 ** 33, noNaN: true }),
  fc
    .tuple(fc.constantFrom(...EDGES), fc.integer({ min: -5000, max: 5000 }))
    .map(([edge, by]) => Math.max(1, edge + by)),
)

test('a later turn never has a smaller priority, and every priority is one that BullMQ orders', () => {
  fc.assert(
    fc.property(turns, turns, (one, other) => {
      const [earlier, later] = [one, other].sort((a, b) => a - b).map(priorityOf)
      expect(earlier).toBeLessThanOrEqual(later ?? 0)
      expect(earlier).toBeGreaterThanOrEqual(1)
      expect(later).toBeLessThanOrEqual(2 ** 21 - 1)
    }),
  )
})

test('the first million turns have priorities of their own', () => {
  const exact = fc.integer({ min: 1, max: 2 ** 20 - 1 })
  fc.assert(fc.property(exact, (turn) => priorityOf(turn) === turn))
})

test('Redis finds the first turn of a priority', async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (turn) => {
      const priority = priorityOf(turn)
      const text = `${TURN_OF} return string.format('%.17g', turn_of(tonumber(ARGV[1])))`
      const first = Number(await bench.redis.eval(text, 0, priority))
      expect(first).toBeLessThanOrEqual(turn)
      expect(priorityOf(Math.max(1, first))).toBe(priority)
      if (first > 1) expect(priorityOf(first - 1)).toBeLessThan(priority)
    }),
  )
})
