import type { Worker } from 'node:worker_threads'
import type { ThreadMessage } from './messages.ts'

/** Bounds of one question. */
export interface AskBounds {
  /** CPU time of the thread, in milliseconds. Where Node cannot tell it (before 24.6), `wallMs` is the bound. */
  readonly cpuMs: number
  /** Wall clock behind it, in milliseconds: a thread that was starved for so long will not come to an end. */
  readonly wallMs: number
}

/**
 * Why there is no answer. `cpu` and `memory`: the question took more than it may have. `starved`: the host had too little time
 * for the thread. `died`: the thread ended for another reason.
 */
export type ThreadFailure = 'cpu' | 'memory' | 'starved' | 'died'

/** What became of a question, with the CPU time that it took, in milliseconds. */
export type ThreadOutcome<Answer> =
  | { readonly answer: Answer; readonly cpuMs: number; readonly failure?: undefined }
  | {
      readonly failure: ThreadFailure
      readonly cpuMs: number
      /** The last thing that the thread said of how far it was. */
      readonly progress: number | undefined
      readonly answer?: undefined
    }

/** How often a thread is asked for the CPU time that it took, in milliseconds. */
const LOOK_MS = 100

/**
 * Asks a thread. After anything but an answer it is not fit for another question; ending it is the caller's to do.
 *
 * @throws the reason of `signal` when that aborts
 */
export async function ask<Request, Answer>(
  thread: Worker,
  request: Request,
  { cpuMs, wallMs }: AskBounds,
  signal?: AbortSignal,
): Promise<ThreadOutcome<Answer>> {
  signal?.throwIfAborted()
  // First asked when it has taken a while: few do, and the answer costs more than they.
  let before: number | undefined
  let used: number | undefined
  let progress: number | undefined
  const settled = Promise.withResolvers<ThreadOutcome<Answer>>()
  const fail = (failure: ThreadFailure) => settled.resolve({ failure, cpuMs: used ?? 0, progress })
  const look = async () => {
    const now = await cpuTime(thread)
    if (now === undefined) return
    before ??= now
    used = now - before
    if (used > cpuMs) fail('cpu')
  }
  const hear = (message: ThreadMessage<Answer>) => {
    if (message === 'ready') fail('died')
    else if (message.answer === undefined) progress = message.progress
    else settled.resolve({ answer: message.answer.value, cpuMs: message.answer.cpuMs })
  }
  const lose = (error: Error & { code?: string }) =>
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'died')
  const end = () => fail('died')
  const abort = () => settled.reject(signal?.reason)
  const looks = setInterval(() => void look(), LOOK_MS)
  // Without a clock of its own nobody can tell that it was starved.
  const timer = setTimeout(() => fail(used === undefined ? 'cpu' : 'starved'), wallMs)
  thread.on('message', hear).on('error', lose).on('exit', end)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    thread.postMessage(request)
    return await settled.promise
  } finally {
    clearInterval(looks)
    clearTimeout(timer)
    thread.off('message', hear).off('error', lose).off('exit', end)
    signal?.removeEventListener('abort', abort)
  }
}

/** CPU time of a thread so far, in milliseconds: load of the host must not make a question fail. */
async function cpuTime(thread: Worker): Promise<number | undefined> {
  try {
    const { user, system } = await thread.cpuUsage()
    return (user + system) / 1000
  } catch {
    // Node before 24.6, or a thread that has ended.
    return undefined
  }
}
