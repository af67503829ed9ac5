import type { JobEvent, Result } from '@isopod/protocol'
import { ConnectionLost, callApi, callJson, Refused } from '../parts/api.ts'
import { readEventStream } from '../parts/event-stream.ts'
import { sleep } from '../parts/sleep.ts'

/** An execution as `GET /v1/executions/{id}` has it. */
interface Execution {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'finished'
  readonly result: Result | null
}

/** Callbacks for the events of an execution. */
export interface Follower {
  waiting(): void
  /** The program starts; output of an earlier attempt is void. */
  running(): void
  output(stream: 'stdout' | 'stderr', text: string): void
  /** The connection broke; the page reconnects. */
  lost(error: Error): void
  finished(result: Result): void
}

/** Pause before a reconnect, in milliseconds. */
const RECONNECT_MS = 1000

/**
 * Follows an execution to its end. If the connection breaks, reconnects and resumes after the last event.
 *
 * @throws {Refused} if there is no such execution, or if this key may not see it
 */
export async function follow(id: string, follower: Follower, signal: AbortSignal): Promise<void> {
  const path = `/v1/executions/${encodeURIComponent(id)}`
  let cursor = ''
  let isFirst = true
  while (!signal.aborted) {
    try {
      const execution = await callJson<Execution>(path, { signal })
      if (execution.result !== null) return follower.finished(execution.result)
      if (isFirst) follower[execution.state === 'running' ? 'running' : 'waiting']()
      isFirst = false
      const answer = await callApi(`${path}/events`, {
        signal,
        ...(cursor !== '' && { headers: { 'last-event-id': cursor } }),
      })
      if (answer.body === null) throw new ConnectionLost(undefined)
      let isOver = false
      for await (const event of readEventStream(answer.body)) {
        dispatch(event.type, JSON.parse(event.data) as JobEvent, follower)
        cursor = event.id
        isOver = event.type === 'finished'
      }
      if (!isOver) throw new ConnectionLost(undefined)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused && error.status < 500 && error.status !== 429) throw error
      const seconds = error instanceof Refused ? error.retryAfterSeconds : undefined
      follower.lost(error instanceof Error ? error : new ConnectionLost(error))
      await sleep(seconds === undefined ? RECONNECT_MS : seconds * 1000, signal)
    }
  }
}

function dispatch(type: string, data: JobEvent, follower: Follower): void {
  if (type === 'status') follower.running()
  if ((type === 'stdout' || type === 'stderr') && 'text' in data) follower.output(type, data.text)
}
