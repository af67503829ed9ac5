/** The highest priority that BullMQ accepts; higher numbers run later. */
const MAX_PRIORITY = 2 ** 21 - 1

/**
 * How turns, which grow without bound, become priorities, which do not: `count` priorities of `turns` turns each, then the next
 * row. Turns that share a priority are first come, first served. The order never reverses, so no job can starve, and the numbers
 * start again whenever no job waits.
 */
const STEPS = [
  { count: 2 ** 20, turns: 1 },
  { count: 2 ** 19, turns: 2 ** 4 },
  { count: 2 ** 18, turns: 2 ** 8 },
  { count: 2 ** 17, turns: 2 ** 12 },
  { count: 2 ** 16, turns: 2 ** 16 },
] as const

/** The priority of a turn; a later turn never has a smaller one. @param turn from 1 */
export function priorityOf(turn: number): number {
  let priority = 0
  let left = turn
  for (const { count, turns } of STEPS) {
    if (left < count * turns) return Math.max(1, priority + Math.floor(left / turns))
    priority += count
    left -= count * turns
  }
  return MAX_PRIORITY
}

/** Lua function `turn_of(priority)`: the first turn that has this priority. */
export const TURN_OF = `
local function turn_of(priority)
  local turn = 0
  for _, step in ipairs({${STEPS.map(({ count, turns }) => `{${count}, ${turns}}`).join(', ')}}) do
    if priority < step[1] then return turn + math.max(0, priority) * step[2] end
    turn, priority = turn + step[1] * step[2], priority - step[1]
  end
  return turn
end`
