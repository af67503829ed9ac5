import { RetryableError } from '@isopod/protocol'
import { JobDeferred } from '@isopod/queue'
import { DriverUnavailableError, ImageMissingError } from '@isopod/sandbox'
import type { EngineWatch } from './engine-watch.ts'
import type { ImageWatch } from './image-watch.ts'

/** Pause before a job is taken again, in milliseconds: shorter than a recovery may take. */
const PAUSE_MS = 5_000

/** Dependencies of {@link deferForHost}. */
export interface DeferForHostOptions {
  /** How long a job may wait for its host, in milliseconds; 0: not at all. */
  readonly maxMs: number
  readonly engine: Pick<EngineWatch, 'check' | 'up'>
  readonly images: Pick<ImageWatch, 'check' | 'missing'>
}

/**
 * Decides whether a fault is an outage of the host, a missing image or an engine that is gone, and returns what to throw. A job
 * that meets one waits for its end, because its tries would be used up within seconds.
 */
export async function deferForHost(error: unknown, options: DeferForHostOptions): Promise<unknown> {
  const { maxMs, engine, images } = options
  if (maxMs === 0 || !(error instanceof RetryableError)) return error
  if (error instanceof ImageMissingError) {
    // The watch publishes which languages lack their image; it looks again every 30 s by itself.
    if (!images.missing.includes(error.image)) void images.check().catch(() => {})
  } else {
    await engine.check()
    if (!(error instanceof DriverUnavailableError) && engine.up) return error
  }
  const waited = `the job waited ${maxMs / 1000} s for it`
  return new JobDeferred(Math.min(PAUSE_MS, maxMs), `${error.message}; ${waited}`, { cause: error, maxMs })
}
