import { ConfigError } from '@isopod/protocol'
import { closest, distance } from 'fastest-levenshtein'

const OURS = /^(ISOPOD|SANDBOX)_/

/** Variables of the CLI, of set-up and of HTTP clients, which all processes of a shell inherit. */
const COMMAND_LINE = ['ISOPOD_DEBUG', 'ISOPOD_STATE_DIR', 'ISOPOD_ROOTS_DIR', 'ISOPOD_URL', 'ISOPOD_API_KEY']

/** Prefixes of the other apps' variables. All apps of a host may share one environment file. */
const APP_PREFIXES = ['ISOPOD_GATEWAY_', 'ISOPOD_MCP_']

/** What Kubernetes injects for a Service named `isopod` or `isopod-gateway`: its address, and its ports as links of Docker. */
const SERVICE_LINK =
  /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/
/** Value of `ISOPOD_PORT`, which could be a misspelt setting otherwise. */
const PORT_LINK = /^(tcp|udp|sctp):\/\//

/** Maximum edit distance of a misspelt name. */
const TYPO_LETTERS = 2

/**
 * Refuses unread variables with Isopod's prefixes, so that a misspelt limit is not silently ignored.
 *
 * @param prefix of the app's own variables. With it, the variables of other apps are accepted too, unless one looks like a
 *   misspelt name of this app.
 */
export function refuseUnknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  prefix?: string,
): void {
  const ours = known.filter((name) => OURS.test(name))
  const unknown = Object.keys(env).filter((name) => {
    if (!OURS.test(name) || known.includes(name) || COMMAND_LINE.includes(name)) return false
    if (isServiceLink(name, env[name])) return false
    if (prefix === undefined) return !APP_PREFIXES.some((other) => name.startsWith(other))
    return name.startsWith(prefix) || ours.some((one) => distance(name, one) <= TYPO_LETTERS)
  })
  if (unknown.length === 0) return
  throw new ConfigError(
    unknown.map((name) => `${name}: unknown setting; did you mean ${closest(name, ours)}?`).join('; '),
  )
}

function isServiceLink(name: string, value = ''): boolean {
  return SERVICE_LINK.test(name) || (name.endsWith('_PORT') && PORT_LINK.test(value))
}
