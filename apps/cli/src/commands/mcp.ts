import { type ExitCode, parseHttpAddress } from '@isopod/service-kit'
import type { Io } from '../io.ts'
import type { Services } from '../services.ts'
import { redisUrl } from '../with-client.ts'

/** `isopod mcp`: runs the MCP server in its own process, with this process's stdin and stdout. */
export async function mcpCommand(
  io: Io,
  services: Services,
  options: { readonly http?: string },
): Promise<ExitCode> {
  // The server parses the address, too; an invalid one is refused here, before Redis is looked for.
  if (options.http !== undefined) parseHttpAddress('--http', options.http)
  const args = options.http === undefined ? [] : ['--http', options.http]
  return await services.serveMcp(args, { ...io.env, REDIS_URL: await redisUrl(io, services) })
}
