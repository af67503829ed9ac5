import type { Result } from '@isopod/client'
import type { KnownProgram } from './programs.ts'

/** One delivery of a result to a consumer. */
export interface DeliveredResult {
  readonly result: Pick<Result, 'id' | 'status' | 'stdout' | 'workerId' | 'attempt' | 'errorMessage'>
  /** On the clock of `performance.now()`. */
  readonly atMs: number
}

/** One job that is to be accepted. */
export interface Submission {
  readonly index: number
  readonly program: KnownProgram
  /** Ids under which Isopod has accepted it: one, if all is well. */
  readonly ids: Set<string>
}

/** What was submitted, and what came back: all that the checker looks at. */
export class Ledger {
  /** By the name that is also the job's idempotency key. */
  readonly submissions = new Map<string, Submission>()
  readonly deliveries: DeliveredResult[] = []

  /** Records that a job is about to be submitted, and returns its name. */
  plan(index: number, program: KnownProgram): string {
    const name = `job-${index}`
    this.submissions.set(name, { index, program, ids: new Set() })
    return name
  }

  /** Records that a job was accepted. */
  accept(name: string, id: string): void {
    this.submissions.get(name)?.ids.add(id)
  }

  deliver(result: DeliveredResult['result']): void {
    this.deliveries.push({ result, atMs: performance.now() })
  }

  /** Whether every job of those indexes was accepted and has a result. */
  isComplete(isAwaited: (index: number) => boolean = () => true): boolean {
    const delivered = new Set(this.deliveries.map(({ result }) => result.id))
    return [...this.submissions.values()]
      .filter(({ index }) => isAwaited(index))
      .every(({ ids }) => ids.size > 0 && [...ids].every((id) => delivered.has(id)))
  }

  /** When the first result after a moment was delivered. */
  firstDeliveryAfter(ms: number): number | undefined {
    return this.deliveries.find(({ atMs }) => atMs >= ms)?.atMs
  }
}
