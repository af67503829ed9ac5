import type { EngineService } from '@isopod/devstack'
import { findEngine } from './doctor/inspect-engine.ts'
import { type Io, note } from './io.ts'
import type { Services } from './services.ts'
import { startStack } from './start-stack.ts'

/** The engine that jobs would run on. Starts a private one if none answers. */
export async function engineOf(io: Io, services: Services): Promise<EngineService> {
  const stack = await services.findStack(io.env)
  if (stack !== undefined) return stack.engine
  const dockerHost = await findEngine(io.env, undefined)
  if (dockerHost !== undefined) return { dockerHost, ours: false }
  note(io, 'isopod: no engine answers, so a private stack starts; "isopod down" stops it')
  return (await startStack(io, services, 0)).engine
}
