import type { Redis } from 'ioredis'
import { bullScript } from './bull-script.ts'
import { GUARD } from './guard-lua.ts'
import type { Keys } from './keys.ts'

/**
 * Lua function: whether the job that BullMQ hands out has a result or a request to cancel it, as a number; nil if it hands
 * out none. Its parameters: what all keys start with, and what BullMQ's script returns.
 */
export const LOOK = `
local function look(tag, taken)
  if type(taken) ~= 'table' or type(taken[2]) ~= 'string' then return nil end
  return redis.call('EXISTS', tag .. ':result:' .. taken[2], tag .. ':cancel:' .. taken[2])
end`

/**
 * Has BullMQ's script that takes a job look at the same time whether that job has a result or a request to cancel it. Asking
 * for that alone costs each job of an idle queue one more way to Redis and back.
 *
 * @returns ids of jobs that were taken and have neither, until whoever is given one removes it
 * @throws if this release of BullMQ has no such script
 */
export function takeWithLook(redis: Redis, keys: Keys): Set<string> {
  const fresh = new Set<string>()
  const { name, lua, numberOfKeys } = bullScript(redis, 'moveToActive')
  redis.defineCommand('isopodTake', {
    numberOfKeys,
    lua: `${GUARD}local function take()\n${lua}\nend\n${LOOK}
local taken = take()
if type(taken) ~= 'table' then return taken end
return {taken[1], taken[2], taken[3], taken[4], look(ARGV[#ARGV], taken)}`,
  })
  const commands = redis as unknown as Record<string, (args: unknown[]) => Promise<unknown>>
  commands[name] = async (args) => {
    const taken = await commands['isopodTake']?.([...args, keys.tag])
    if (Array.isArray(taken) && taken[4] === 0) fresh.add(String(taken[1]))
    return taken
  }
  return fresh
}
