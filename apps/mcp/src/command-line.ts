import { parseArgs } from 'node:util'
import { type HttpAddress, parseHttpAddress, UsageError } from '@isopod/service-kit'

/** A parsed command line. */
export type CommandLine =
  | { readonly show: 'help' | 'version' }
  | { readonly show?: undefined /** Absent: stdio. */; readonly http?: HttpAddress }

/** The page of `--help`. */
export const HELP = `Usage: isopod-mcp [--http [host:]port]

MCP server: execute_code, list_languages and grade_code, over stdio or streamable HTTP.

  --http [host:]port  listen on http://host:port/mcp (host: 127.0.0.1); default: stdio
  --help, --version

REDIS_URL names the queue; apps/mcp/README.md lists all settings.
`

/**
 * Parses the command line.
 *
 * @throws {UsageError} naming the option
 */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values } = parse(args)
  if (values.help) return { show: 'help' }
  if (values.version) return { show: 'version' }
  return values.http === undefined ? {} : { http: parseHttpAddress('--http', values.http) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        http: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
