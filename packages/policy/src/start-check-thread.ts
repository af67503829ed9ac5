import { setFlagsFromString } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { startThread } from '@isopod/threads'

/**
 * Starts a thread that checks sources: hostile ones can hold, fill or kill it, and nothing else.
 *
 * @param heapMb heap in MiB, the parser's own memory aside; a check that needs more ends the thread
 * @throws if it does not get ready: a grammar is missing
 */
export async function startCheckThread(heapMb: number): Promise<Worker> {
  // Compiling the grammars a second time, for speed, took 500 MB for a second and made no check faster.
  setFlagsFromString('--no-wasm-dynamic-tiering')
  setFlagsFromString('--no-wasm-tier-up')
  const here = import.meta.url
  // Beside this file, as source in tests and compiled in the product.
  const entry = new URL(`./check-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here)
  // A larger young generation made the process up to 30 MB larger and no check faster.
  return await startThread({ entry, heapMb, youngMb: 2 })
}
