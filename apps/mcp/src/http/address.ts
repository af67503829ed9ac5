import { ConfigError } from '@isopod/protocol'
import { isLoopback } from '@isopod/service-kit'

/** Where an HTTP server listens. */
export interface HttpAddress {
  readonly host: string
  readonly port: number
}

/**
 * Parses `[host:]port`. The default host is 127.0.0.1; port 0 selects a free one.
 *
 * @throws {ConfigError} naming what is allowed and what was given
 */
export function parseAddress(text: string): HttpAddress {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) {
    throw new ConfigError(
      `--http: must be [host:]port, with an IPv6 address in brackets, got ${JSON.stringify(text)}`,
    )
  }
  return { host: (bracketed ?? plain ?? '127.0.0.1').toLowerCase(), port }
}

/**
 * Refuses to listen where other hosts can connect: this server has no API keys.
 *
 * @throws {ConfigError} unless the operator allows it
 */
export function refuseRemote({ host }: HttpAddress, allowRemote: boolean): void {
  if (isLoopback(host) || allowRemote) return
  throw new ConfigError(
    `--http: must be a loopback address, got ${host}: this server has no keys, so anyone who reaches it can run code; ISOPOD_MCP_ALLOW_REMOTE_WITHOUT_KEYS=true allows it`,
  )
}
