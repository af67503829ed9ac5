import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { SourceReport } from './check-source.ts'
import type { ThreadAnswer, ThreadRequest } from './check-thread.ts'

/** Bounds of one check. */
export interface CheckBounds {
  /** CPU time of the thread, in milliseconds; not enforced where Node cannot tell it (before 24.6). */
  readonly cpuMs: number
  /** Wall clock behind it, in milliseconds. */
  readonly wallMs: number
}

/** What became of a request: reports on its files, or why there are none. */
export type ThreadOutcome =
  | { readonly reports: readonly SourceReport[]; readonly failure?: undefined }
  | { readonly failure: 'timeout' | 'died' | 'busy' | 'late' | 'closed'; readonly reports?: undefined }

/** Loading the grammars takes a tenth of a second; a host that takes longer than this is ill. */
const START_MS = 20_000
/** How often a thread is asked for the CPU time that it took. */
const LOOK_MS = 100

/**
 * Starts a thread that checks sources: hostile ones can hold, fill or kill it, and nothing else.
 *
 * @param heapMb heap in MiB, the parser's own memory aside; a check that needs more ends the thread
 * @throws if it does not get ready: a grammar is missing
 */
export async function startThread(heapMb: number): Promise<Worker> {
  // Compiling the grammars a second time, for speed, took 500 MB for a second and made no check faster.
  setFlagsFromString('--no-wasm-dynamic-tiering')
  setFlagsFromString('--no-wasm-tier-up')
  const here = import.meta.url
  // Beside this file, as source in tests and compiled in the product.
  const entry = new URL(`./check-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here)
  // Nothing of this process is the thread's business; loaders of a test runner would break it.
  const thread = new Worker(entry, {
    env: {},
    execArgv: [],
    // A larger young generation made the process up to 30 MB larger and no check faster.
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 2 },
  })
  // Kept for good: an `error` that nobody listens to would end the process.
  thread.on('error', () => {})
  thread.unref()
  const ready = await answer(thread, { wallMs: START_MS })
  if (ready === 'ready') return thread
  await thread.terminate()
  throw new Error(`policy: the checking thread did not start (${ready.failure ?? 'answered out of turn'})`)
}

/**
 * Asks a thread. After anything but reports it is not fit for another question.
 *
 * @throws the reason of `signal` when that aborts
 */
export async function ask(
  thread: Worker,
  request: ThreadRequest,
  bounds: CheckBounds,
  signal?: AbortSignal,
): Promise<ThreadOutcome> {
  signal?.throwIfAborted()
  const answered = answer(thread, bounds, signal)
  thread.postMessage(request)
  const outcome = await answered
  return outcome === 'ready' ? { failure: 'died' } : outcome
}

/** The next thing that a thread says, or what ended it. */
function answer(
  thread: Worker,
  { cpuMs = Number.POSITIVE_INFINITY, wallMs }: Partial<CheckBounds> & Pick<CheckBounds, 'wallMs'>,
  signal?: AbortSignal,
): Promise<'ready' | ThreadOutcome> {
  return new Promise((resolve, reject) => {
    // First asked when a check has taken a while: few do, and the answer costs more than they.
    let before: number | undefined
    const look = async () => {
      const now = await cpuTime(thread)
      before ??= now
      if (now - before > cpuMs) settle({ failure: 'timeout' })
    }
    const looks = setInterval(() => void look(), LOOK_MS)
    const timer = setTimeout(() => settle({ failure: 'timeout' }), wallMs)
    const settle = (outcome: 'ready' | ThreadOutcome) => {
      leave()
      resolve(outcome)
    }
    const say = (said: ThreadAnswer) => settle(said === 'ready' ? said : { reports: said })
    const die = () => settle({ failure: 'died' })
    const abort = () => {
      leave()
      reject(signal?.reason)
    }
    const leave = () => {
      clearInterval(looks)
      clearTimeout(timer)
      thread.off('message', say).off('error', die).off('exit', die)
      signal?.removeEventListener('abort', abort)
    }
    thread.on('message', say).on('error', die).on('exit', die)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** CPU time of a thread so far, in milliseconds: load of the host must not make a check fail. */
async function cpuTime(thread: Worker): Promise<number> {
  try {
    const { user, system } = await thread.cpuUsage()
    return (user + system) / 1_000
  } catch {
    // Node before 24.6, or a thread that has ended.
    return 0
  }
}
