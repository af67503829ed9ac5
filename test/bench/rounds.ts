import type { Bench } from './bench.ts'
import { ContenderUnavailable } from './contenders/contender.ts'
import { shuffled } from './measure/random.ts'

/** A measured contender. */
export interface Entrant {
  readonly name: string
  /** Makes one block of measurements. */
  block(round: number): Promise<void>
}

/**
 * Runs one block of each entrant per round, in a new random order, so that other load of the machine affects all equally. An
 * entrant that fails is recorded and left out of the following rounds.
 */
export async function interleave(
  bench: Bench,
  name: string,
  rounds: number,
  entrants: readonly Entrant[],
): Promise<void> {
  const out = new Set<Entrant>()
  for (let round = 0; round < rounds; round += 1) {
    const order = shuffled(entrants, bench.random).filter((entrant) => !out.has(entrant))
    for (const entrant of order) {
      bench.signal.throwIfAborted()
      bench.log(`${name}: round ${round + 1} of ${rounds}, ${entrant.name}`)
      try {
        await unlessAborted(entrant.block(round), bench.signal)
      } catch (error) {
        bench.signal.throwIfAborted()
        out.add(entrant)
        const words = error instanceof Error ? error.message : String(error)
        const reason = words.trim().replaceAll(/\s+/g, ' ').slice(0, 400)
        const kind = error instanceof ContenderUnavailable ? 'impossible' : 'failed'
        bench.log(`${name}: ${entrant.name} ${kind}: ${reason}`)
        bench.book.miss({ case: name, contender: entrant.name, kind, reason })
      }
    }
  }
}

/** Rejects as soon as the signal aborts, without waiting for the block; closing the stage removes what it has started. */
function unlessAborted<T>(block: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    block.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
