import { setTimeout as sleep } from 'node:timers/promises'
import { type Result, TerminalError, VERSION } from '@isopod/protocol'
import type { BusyWebhooks, ClaimedWebhook, Webhook, WebhookQueue } from '@isopod/queue'
import { pauseAfter } from './backoff.ts'
import type { WebhookSecrets } from './secrets.ts'
import { type SendRules, type Sent, send } from './send.ts'
import { signatureHeaders } from './sign.ts'

/** Added to the timeout of an attempt: time for Redis and for a busy process. */
const LEASE_MARGIN_MS = 5_000
/** Maximum time between two claims. Redis announces new webhooks at once, but an announcement can be lost. */
const MAX_IDLE_MS = 5_000
/** Pause after an error of Redis. */
const FAULT_PAUSE_MS = 1_000
const GONE = 410
const MAX_BYTES = 32 * 1024 * 1024

/** The request of a webhook. */
export interface WebhookContent {
  readonly method: 'POST' | 'PUT'
  /** JSON. */
  readonly body: string
}

/** The outcome of one attempt. After an `error` of Redis the webhook is tried again. */
export type WebhookEvent =
  | { readonly type: 'delivered'; readonly webhook: Webhook }
  | { readonly type: 'retried' | 'dead'; readonly webhook: Webhook; readonly reason: string }
  | { readonly type: 'error'; readonly error: unknown }

/** Options of a {@link WebhookDeliverer}. */
export interface DelivererOptions extends Pick<SendRules, 'targets' | 'timeoutMs' | 'resolve'> {
  readonly queue: WebhookQueue
  readonly secrets: WebhookSecrets
  /** Makes the request for a finished execution. */
  readonly contentOf: (result: Result, webhook: Webhook) => WebhookContent
  /** Maximum attempts per webhook, including the first one. */
  readonly maxTries: number
  /** Pause after the first failed attempt; see {@link pauseAfter}. */
  readonly firstPauseMs: number
  /** Concurrent attempts. One tenant has at most half of them, one target of a tenant a quarter. */
  readonly concurrency: number
  /**
   * Total size of the results in running attempts at which no further attempt begins. A single result may be larger.
   * @default 32 MiB
   */
  readonly maxBytes?: number
  readonly observe: (event: WebhookEvent) => void
}

/** A running attempt. */
interface Try {
  readonly webhook: Webhook
  /** Size of the result that it sends. */
  readonly bytes: number
}

/** Delivers the webhooks of a deployment. Any number of processes may run one deliverer each. */
export class WebhookDeliverer {
  readonly #options: DelivererOptions
  readonly #tries = new Map<Promise<void>, Try>()
  readonly #stopping = new AbortController()
  readonly #aborted = new AbortController()
  #running: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #news = Promise.withResolvers<void>()

  constructor(options: DelivererOptions) {
    this.#options = options
  }

  /** Starts to deliver; a second call has no effect. */
  start(): void {
    if (this.#running !== undefined) return
    const { queue, observe } = this.#options
    queue.onArrival(this.#wake).catch((error: unknown) => observe({ type: 'error', error }))
    this.#running = this.#run()
  }

  /**
   * Starts no further attempts and waits up to `graceMs` for running ones; then it aborts them and releases their
   * webhooks to the queue. A second call gets the same promise.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs)
    return this.#stopped
  }

  async #stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#running
    const idle = Promise.all(this.#tries.keys())
    await Promise.race([idle, sleep(graceMs, undefined, { ref: false })])
    this.#aborted.abort()
    await idle
  }

  readonly #wake = (): void => this.#news.resolve()

  async #run(): Promise<void> {
    const { queue, concurrency, maxBytes = MAX_BYTES, timeoutMs, observe } = this.#options
    while (!this.#stopping.signal.aborted) {
      // Reset before the claim, so that an announcement during the claim ends the following wait.
      this.#news = Promise.withResolvers<void>()
      if (this.#tries.size >= concurrency || this.#bytesUnderWay() >= maxBytes) {
        await this.#news.promise
        continue
      }
      try {
        const found = await queue.claim(this.#busy(), timeoutMs + LEASE_MARGIN_MS)
        if (typeof found === 'object') this.#begin(found, await queue.resultBytes(found.id))
        else await this.#idle(Math.min(found ?? MAX_IDLE_MS, MAX_IDLE_MS))
      } catch (error) {
        observe({ type: 'error', error })
        await sleep(FAULT_PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => {})
      }
    }
  }

  async #idle(ms: number): Promise<void> {
    const timer = setTimeout(this.#wake, ms)
    await this.#news.promise
    clearTimeout(timer)
  }

  #begin(webhook: ClaimedWebhook, bytes: number): void {
    const running = this.#deliver(webhook)
      .catch((error: unknown) => this.#options.observe({ type: 'error', error }))
      .finally(() => {
        this.#tries.delete(running)
        this.#wake()
      })
    this.#tries.set(running, { webhook, bytes })
  }

  #bytesUnderWay(): number {
    return [...this.#tries.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #busy(): BusyWebhooks {
    const { concurrency } = this.#options
    const webhooks = [...this.#tries.values()].map(({ webhook }) => webhook)
    const full = (groups: Map<string, Webhook[]>, share: number) =>
      [...groups.values()].filter((group) => group.length >= Math.max(1, Math.floor(concurrency / share)))
    const tenants = full(
      Map.groupBy(webhooks, ({ tenant }) => tenant),
      2,
    )
    const targets = full(
      Map.groupBy(webhooks, ({ tenant, target }) => `${tenant} ${target}`),
      4,
    )
    return {
      tenants: tenants.flatMap(([first]) => (first === undefined ? [] : [first.tenant])),
      targets: targets.flatMap(([first]) => (first === undefined ? [] : [first])),
    }
  }

  /** One attempt, from the claim to its settlement. */
  async #deliver(webhook: ClaimedWebhook): Promise<void> {
    const { queue, maxTries, firstPauseMs, observe } = this.#options
    const sent = await this.#send(webhook)
    if (sent.kind === 'answered' && sent.status >= 200 && sent.status < 300) {
      await queue.delivered(webhook)
      return observe({ type: 'delivered', webhook })
    }
    if (sent.kind === 'failed' && this.#aborted.signal.aborted) return await queue.release(webhook)
    const reason = sent.kind === 'answered' ? `answered ${sent.status}` : sent.reason
    const isOver = sent.kind === 'refused' || (sent.kind === 'answered' && sent.status === GONE)
    if (isOver || webhook.tries >= maxTries) {
      await queue.bury(webhook, reason)
      return observe({ type: 'dead', webhook, reason })
    }
    const outcome = await queue.retry(webhook, pauseAfter(webhook.tries, firstPauseMs), reason)
    if (outcome !== 'lost') observe({ type: outcome === 'dead' ? 'dead' : 'retried', webhook, reason })
  }

  async #send(webhook: ClaimedWebhook): Promise<Sent> {
    const { queue, secrets, contentOf, maxTries } = this.#options
    const url = URL.parse(webhook.url)
    if (url === null) return { kind: 'refused', reason: 'the URL is none' }
    // Deliverers died during the last attempts, so none of them buried the webhook.
    if (webhook.tries > maxTries) return { kind: 'refused', reason: `it was tried ${maxTries} times` }
    let result: Result | undefined
    try {
      result = await queue.result(webhook.id)
    } catch (error) {
      if (error instanceof TerminalError)
        return { kind: 'refused', reason: 'the stored value is not a result' }
      throw error
    }
    if (result === undefined) return { kind: 'failed', reason: 'the result is not there' }
    let content: WebhookContent
    try {
      content = contentOf(result, webhook)
    } catch {
      // A retry would fail in the same way.
      return { kind: 'refused', reason: 'its content cannot be made' }
    }
    const { method, body } = content
    const signed = { id: webhook.id, timestamp: Math.floor(Date.now() / 1000), body }
    const headers = {
      ...signatureHeaders(signed, secrets.keysOf(webhook.tenant)),
      'content-type': 'application/json',
      'user-agent': `Isopod/${VERSION}`,
    }
    return await send({ method, url, headers, body }, { ...this.#options, signal: this.#aborted.signal })
  }
}
