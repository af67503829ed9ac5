import { Worker } from 'node:worker_threads'

/** What the threads of these specs are asked. */
export type Task =
  | { readonly do: 'echo'; readonly text: string }
  | { readonly do: 'spin'; readonly ms: number }
  | { readonly do: 'spin forever' | 'fill the heap' | 'throw' | 'exit' }
  | { readonly do: 'wait'; readonly ms: number }

/** Starts a thread that does what it is asked. */
export { startThread } from '../../src/start-thread.ts'

/** Where that thread's program is. */
export const ENTRY = new URL('./task-thread.ts', import.meta.url)

/** A thread that never says that it is ready. */
export function mute(): Worker {
  return new Worker('setInterval(() => {}, 1000)', { eval: true })
}
