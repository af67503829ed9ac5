import { setTimeout as sleep } from 'node:timers/promises'

/** One reading of a worker's metrics. */
export interface Scrape {
  /** Sum of a metric over all series with these labels; 0 if there are none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number
  /** The values of one label of a metric. */
  values(name: string, label: string): string[]
}

/** Reads `/metrics` of a worker. */
export async function scrape(url: string): Promise<Scrape> {
  const answer = await fetch(`${url}/metrics`, { headers: { connection: 'close' } })
  return parseMetrics(await answer.text())
}

/** Parses the exposition text of Prometheus. */
export function parseMetrics(text: string): Scrape {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }]
  })
  return {
    sum: (name, wanted = {}) =>
      lines
        .filter((line) => line.name === name)
        .filter((line) => Object.entries(wanted).every(([key, value]) => line.labels.get(key) === value))
        .reduce((sum, line) => sum + line.value, 0),
    values: (name, label) => [
      ...new Set(lines.filter((line) => line.name === name).flatMap((line) => line.labels.get(label) ?? [])),
    ],
  }
}

function labelsOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]))
}

const POLL_MS = 20
/** Maximum wait for a worker to become idle, in milliseconds; it is then measured anyway. */
const MAX_WAIT_MS = 5000
const POOL = 'isopod_pool_containers'

/** Waits until a worker has removed its other containers, and its pool has `level` containers or did not grow for `quietMs`. */
export async function untilWorkerIdle(url: string, level: number, quietMs: number): Promise<void> {
  let seen = -1
  let since = performance.now()
  const deadline = since + MAX_WAIT_MS
  while (performance.now() < deadline) {
    const now = await scrape(url)
    const pooled = now.sum(POOL)
    const busy =
      now.sum('isopod_containers', { state: 'removing' }) + now.sum('isopod_worker_slots', { state: 'busy' })
    if (pooled !== seen || busy > 0) since = performance.now()
    seen = pooled
    if (busy === 0 && pooled >= level && level > 0) return
    if (busy === 0 && performance.now() - since >= quietMs) return
    await sleep(POLL_MS)
  }
}

/** Number of containers in a worker's pool. */
export async function poolLevel(url: string): Promise<number> {
  return (await scrape(url)).sum(POOL)
}
