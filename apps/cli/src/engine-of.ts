import { checkEngine, type EngineService } from '@isopod/devstack'
import { findEngine } from './doctor/inspect-engine.ts'
import { driverOf } from './driver.ts'
import { type Io, note } from './io.ts'
import type { Services } from './services.ts'
import { startStack } from './start-stack.ts'

/**
 * The engine that jobs would run on. Starts a private one if none answers.
 *
 * @returns undefined with the process driver
 */
export async function engineOf(io: Io, services: Services): Promise<EngineService | undefined> {
  if (driverOf(io.env) === 'process') return undefined
  const stack = await services.findStack(io.env)
  if (stack?.engine !== undefined) return stack.engine
  const dockerHost = await findEngine(io.env, undefined)
  if (dockerHost !== undefined) return { dockerHost, ours: false }
  note(io, 'isopod: no engine answers, so a private stack starts; "isopod down" stops it')
  return (await startStack(io, services, 0)).engine
}

/** The engine that answers; undefined if none does, or with the process driver. Starts nothing. */
export async function answeringEngine(io: Io, services: Services): Promise<EngineService | undefined> {
  if (driverOf(io.env) === 'process') return undefined
  const stack = (await services.findStack(io.env)) ?? (await services.findPrivateServices(io.env))
  if (stack.engine !== undefined) return stack.engine
  const dockerHost = await findEngine(io.env, undefined)
  if (dockerHost === undefined) return undefined
  const problem = await checkEngine(dockerHost, io.env)
  if (problem === undefined) return { dockerHost, ours: false }
  note(io, `isopod: DOCKER_HOST ${dockerHost} ${problem}`)
  return undefined
}
