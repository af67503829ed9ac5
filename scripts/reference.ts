// Generates parts of pages and of docker-compose.yaml from schemas: tables of settings, limits, metrics and languages, and
// environments.
import { LIMITS, type LimitScope, limitsSchema, sizeText } from '@isopod/protocol'
import { METRIC_TABLE, type MetricTable } from '@isopod/telemetry'
import type { z } from 'zod'
import { GATEWAY_SETTINGS } from '../apps/gateway/dist/config.js'
import { GATEWAY_METRICS } from '../apps/gateway/dist/gateway-metrics.js'
import { MCP_SETTINGS } from '../apps/mcp/dist/config.js'
import { WORKER_SETTINGS } from '../apps/worker/dist/settings.js'
import { languageRows } from './language-lists.ts'

/** Settings of a service in Compose that follow from the rest of the file or the image, or must differ between replicas. */
const FIXED_IN_COMPOSE =
  /^(PORT|DOCKER_HOST|DOCKER_SOCKET_PATH|ISOPOD_WORKER_ID|ISOPOD_DRIVER|ISOPOD_(GATEWAY_)?DRAIN_SECONDS)$/
/** Files of the host, which need a volume. */
const FILE_SETTING = /_(FILE|DIR|SECCOMP_PROFILE)$/
/** Values in Compose of settings that the host's environment does not decide. */
const SET_IN_COMPOSE: Record<string, string> = { REDIS_URL: 'redis://redis:6379', ISOPOD_BIND: '0.0.0.0' }

/** What a limit of each scope bounds. */
const BOUNDED: Record<LimitScope, string> = {
  job: 'a job',
  run: 'a run',
  container: 'a container',
  creation: 'a new container',
  process: 'a process',
}

/** Content of each marker: file → name of the marker → lines. */
export const REFERENCE: Record<string, Record<string, string[]>> = {
  'docs/settings.md': { worker: settingsTable(WORKER_SETTINGS) },
  'apps/gateway/README.md': { settings: settingsTable(GATEWAY_SETTINGS) },
  'apps/mcp/README.md': { settings: settingsTable(MCP_SETTINGS) },
  'docs/limits.md': { limits: limitsTable() },
  'docs/metrics.md': { worker: metricsTable(METRIC_TABLE), gateway: metricsTable(GATEWAY_METRICS) },
  'docs/languages.md': {
    languages: table(
      ['language', 'version', 'also', 'image', '`memoryMb`', '`timeoutSeconds`'],
      ...languageRows(),
    ),
  },
  'docker-compose.yaml': { worker: environment(WORKER_SETTINGS), gateway: environment(GATEWAY_SETTINGS) },
}

/** Replaces the lines between the markers `generated: NAME` and `end: NAME`. */
export function fillMarkers(text: string, sections: Record<string, string[]>, file: string): string {
  return Object.entries(sections).reduce((filled, [name, lines]) => {
    const all = filled.split('\n')
    const start = all.findIndex((line) => line.includes(`generated: ${name} `))
    const end = all.findIndex((line) => line.includes(`end: ${name}`))
    if (start < 0 || end < start)
      throw new Error(`${file}: has no markers "generated: ${name}" and "end: ${name}"`)
    const indent = /^ */.exec(all[start] ?? '')?.[0]
    return all.toSpliced(start + 1, end - start - 1, ...lines.map((line) => line && indent + line)).join('\n')
  }, text)
}

function settingsTable(schema: z.ZodObject): string[] {
  const rows = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, variable]) => {
    const { description, shownDefault = defaultOf(variable) } = variable.meta() ?? {}
    return [`\`${name}\``, String(shownDefault), description ?? '']
  })
  return table(['variable', 'default', 'meaning'], ...rows)
}

function defaultOf({ def }: z.ZodType): string {
  const value = String('defaultValue' in def ? def.defaultValue : '')
  return value === '' ? 'none' : `\`${value}\``
}

/** Without `onOverflow`, which is not an amount. */
function limitsTable(): string[] {
  const { onOverflow: _, ...amounts } = limitsSchema.shape
  const rows = Object.entries(amounts).map(([name, schema]) => {
    const { scope, usual, exceeded } = LIMITS[name as keyof typeof amounts]
    const { minValue, maxValue } = schema.unwrap()
    const range = [minValue, maxValue].map((bound) => amountText(bound ?? Number.NaN)).join('–')
    return [`\`${name}\``, BOUNDED[scope], usual === null ? 'none' : amountText(usual), range, exceeded]
  })
  return table(['limit', 'bounds', 'default', 'range', 'when a program exceeds it'], ...rows)
}

function amountText(amount: number): string {
  return amount >= 1024 * 1024 ? sizeText(amount) : amount.toLocaleString('en-US', { useGrouping: 'min2' })
}

function metricsTable(metrics: MetricTable): string[] {
  const rows = Object.values(metrics).map(({ kind, name, help, labels }) => [
    `\`${name}\``,
    kind,
    Object.keys(labels).join(', '),
    help.replace(/\.$/, ''),
  ])
  return table(['metric', 'kind', 'labels', 'meaning'], ...rows)
}

/** An empty variable counts as unset, so each setting may be given in the environment of `docker compose`, or in `.env`. */
function environment(schema: z.ZodObject): string[] {
  return Object.keys(schema.shape)
    .filter((name) => !FIXED_IN_COMPOSE.test(name) && !FILE_SETTING.test(name))
    .map((name) => `${name}: ${SET_IN_COMPOSE[name] ?? `\${${name}:-}`}`)
}

function table(...rows: string[][]): string[] {
  const [head = [], ...body] = rows
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return ['', line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line), '']
}
