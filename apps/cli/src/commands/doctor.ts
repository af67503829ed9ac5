import { EXIT, type ExitCode } from '@isopod/service-kit'
import { findingText } from '../doctor/finding.ts'
import { inspectEngine } from '../doctor/inspect-engine.ts'
import { inspectInit } from '../doctor/inspect-init.ts'
import { inspectProcessHost } from '../doctor/inspect-process-host.ts'
import { inspectRedis } from '../doctor/inspect-redis.ts'
import { inspectShims } from '../doctor/inspect-shims.ts'
import { driverOf } from '../driver.ts'
import { type Io, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'

/** `isopod doctor`: checks each part of the stack, one line each; starts nothing. Exit code 3 if one is broken. */
export async function doctorCommand(
  io: Io,
  services: Services,
  options: { readonly json?: boolean },
): Promise<ExitCode> {
  const stack = (await services.findStack(io.env)) ?? (await services.findPrivateServices(io.env))
  const redis = await inspectRedis(services, io.env, stack.redis?.url)
  const findings = [
    ...redis.findings,
    ...(driverOf(io.env) === 'process'
      ? await inspectProcessHost(io.env)
      : [...(await inspectEngine(io.env, stack.engine, redis.languages)), ...(await inspectShims())]),
    await inspectInit(),
  ]
  const lines = findings.map((finding) => (options.json ? jsonLine(finding) : findingText(io, finding)))
  await write(io.stdout, lines.join(''))
  return findings.some(({ state }) => state === 'failed') ? EXIT.platform : EXIT.success
}
