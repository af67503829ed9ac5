import { Redis } from 'ioredis'
import { ADMIT_WRITES } from './at-limit.ts'
import { GUARD } from './guard-lua.ts'

/** BullMQ's scripts that pick ids, read a job, count in its hash, or write events. */
const GUARDED = /"(RPOPLPUSH|ZPOPMIN|ZRANGEBYSCORE|HINCRBY|HGETALL|XADD)"/

/** BullMQ's scripts that keep locks or free memory, and must run while Redis is at its `maxmemory`, too. */
const ADMITTED = /^(extendLocks?|moveStalledJobsToWait|cleanJobsInSet|updateProgress|changePriority):/
/** Results are taken at `maxmemory`, too, because that frees memory; jobs are not. */
const ADMIT_RESULTS = `if string.find(KEYS[1], ':results-', 1, true) then ${ADMIT_WRITES} end`

/**
 * A connection that puts {@link GUARD} in front of the scripts that BullMQ registers with it, and {@link ADMIT_WRITES} in front of
 * those that must run while Redis is full.
 */
export class GuardedRedis extends Redis {
  override defineCommand(...[name, definition]: Parameters<Redis['defineCommand']>): void {
    const { lua } = definition
    const guarded = GUARDED.test(lua) ? GUARD + lua : lua
    super.defineCommand(name, { ...definition, lua: admissionOf(name) + guarded })
  }
}

function admissionOf(name: string): string {
  if (name.startsWith('moveToActive:')) return `${ADMIT_RESULTS}\n`
  return ADMITTED.test(name) ? `${ADMIT_WRITES}\n` : ''
}
