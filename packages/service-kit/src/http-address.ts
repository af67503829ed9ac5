import { UsageError } from './error-exit.ts'

/** Where an HTTP server listens. */
export interface HttpAddress {
  readonly host: string
  readonly port: number
}

/**
 * Parses `[host:]port`. The default host is 127.0.0.1; port 0 selects a free one.
 *
 * @throws {UsageError} naming the option, what is allowed and what was given
 */
export function parseHttpAddress(option: string, text: string): HttpAddress {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) {
    throw new UsageError(
      `${option}: must be [host:]port, with an IPv6 address in brackets, got ${JSON.stringify(text)}`,
    )
  }
  return { host: (bracketed ?? plain ?? '127.0.0.1').toLowerCase(), port }
}
