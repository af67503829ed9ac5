import { EXIT, type ExitCode } from '@isopod/service-kit'
import { findingLine } from '../doctor/finding.ts'
import { inspectEngine } from '../doctor/inspect-engine.ts'
import { inspectInit } from '../doctor/inspect-init.ts'
import { inspectRedis } from '../doctor/inspect-redis.ts'
import { type Io, write } from '../io.ts'
import type { Services } from '../services.ts'

/** `isopod doctor`: one line on each piece; starts nothing. Exit code 3 if a piece is broken. */
export async function doctorCommand(io: Io, services: Services): Promise<ExitCode> {
  const stack = await services.findStack(io.env)
  const [redis, engine, init] = await Promise.all([
    inspectRedis(services, io.env, stack?.redis.url),
    inspectEngine(io.env, stack?.engine),
    inspectInit(),
  ])
  const findings = [...redis, ...engine, init]
  await write(io.stdout, findings.map((finding) => `${findingLine(finding)}\n`).join(''))
  return findings.some(({ state }) => state === 'failed') ? EXIT.platform : EXIT.success
}
