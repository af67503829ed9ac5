import type { MetricsExposition } from '@isopod/telemetry'
import pTimeout from 'p-timeout'

/** Whether an app is ready, and the state of each of its dependencies. */
export interface Readiness {
  readonly ok: boolean
  /** Name of the check → `ok`, or a short reason without secrets, because the port is public. */
  readonly checks: Readonly<Record<string, string>>
}

/** An HTTP response. */
export interface HttpAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Timeout of the app's checks in `/readyz`, in milliseconds. */
const READY_DEADLINE_MS = 3_000

/** Answers one request of a health server. Never rejects. */
export async function healthAnswer(
  method: string,
  path: string,
  metrics: Pick<MetricsExposition, 'render' | 'contentType'>,
  ready: () => Promise<Readiness>,
): Promise<HttpAnswer> {
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET')
  switch (path) {
    case '/healthz':
      return text(200, 'ok')
    case '/readyz': {
      const readiness = await readinessWithin(ready)
      // The process id lets the program that started a service notice that another process has taken the port.
      return json(readiness.ok ? 200 : 503, { ...readiness, pid: process.pid })
    }
    case '/metrics':
      try {
        return { status: 200, type: metrics.contentType, body: await metrics.render() }
      } catch (error) {
        return text(500, `metrics: ${reason(error)}`)
      }
    default:
      return text(404, 'not found; there are /metrics, /healthz and /readyz')
  }
}

/** A check that throws or hangs means "not ready". */
async function readinessWithin(ready: () => Promise<Readiness>): Promise<Readiness> {
  const message = `no answer within ${READY_DEADLINE_MS / 1000} s`
  try {
    return await pTimeout(ready(), { milliseconds: READY_DEADLINE_MS, message })
  } catch (error) {
    return { ok: false, checks: { ready: reason(error) } }
  }
}

function text(status: number, body: string): HttpAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${body}\n` }
}

function json(status: number, body: unknown): HttpAnswer {
  return { status, type: 'application/json', body: `${JSON.stringify(body)}\n` }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
