import { Redis } from 'ioredis'
import { GUARD } from './guard-lua.ts'

/** BullMQ's scripts that pick ids, read a job, or count in its hash. */
const PICKING = /"(RPOPLPUSH|ZPOPMIN|ZRANGEBYSCORE|HINCRBY|HGETALL)"/

/** A connection that puts {@link GUARD} in front of the scripts that BullMQ registers with it. */
export class GuardedRedis extends Redis {
  override defineCommand(...[name, definition]: Parameters<Redis['defineCommand']>): void {
    const { lua } = definition
    super.defineCommand(name, PICKING.test(lua) ? { ...definition, lua: GUARD + lua } : definition)
  }
}
