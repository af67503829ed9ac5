import type { Bench } from './bench.ts'
import { Impossible } from './contenders/contender.ts'
import { shuffled } from './measure/random.ts'

/** Something with a name that is measured, one block a round. */
export interface Entrant {
  readonly name: string
  /** One block of measurements. */
  block(round: number): Promise<void>
}

/**
 * Has everyone do a block in each round, in another order each time, so that whatever the machine does besides meets all
 * alike. Who fails is written down and takes no further part.
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
        const kind = error instanceof Impossible ? 'impossible' : 'failed'
        bench.log(`${name}: ${entrant.name} ${kind}: ${reason}`)
        bench.book.miss({ case: name, contender: entrant.name, kind, reason })
      }
    }
  }
}

/** A block is left behind by an interruption, whatever it still waits for; what it has begun is removed with the stage. */
function unlessAborted<T>(block: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    block.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
