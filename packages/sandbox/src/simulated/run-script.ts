import { setTimeout as sleep } from 'node:timers/promises'

/** Options of {@link runScript}. */
export interface ScriptOptions {
  readonly wallMs: number
  readonly stdoutLimit: number
  readonly killOnOverflow: boolean
  /** Minimum duration, in milliseconds. */
  readonly minMs: number
  /** Resolves with its whole stdin. */
  readonly stdin: Promise<Uint8Array>
  /** Receives its output up to the limit. */
  readonly print: (bytes: Uint8Array) => void
  /** Ends it. */
  readonly signal: AbortSignal
}

/** How a script ended. */
export interface ScriptEnd {
  /** Null if a limit ended it. */
  readonly exitCode: number | null
  readonly limit: 'timeout' | 'output' | null
  readonly stdoutBytes: number
  readonly stdoutTruncated: boolean
}

/**
 * Runs a script of simple shell commands, one per line: `echo TEXT`, `cat`, `sleep SECONDS`, `exit CODE`. Ignores other
 * lines.
 */
export async function runScript(code: string, options: ScriptOptions): Promise<ScriptEnd> {
  const { wallMs, stdoutLimit, killOnOverflow, minMs, signal } = options
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), wallMs)
  const stop = AbortSignal.any([timeout.signal, signal])
  let stdoutBytes = 0
  const print = (bytes: Uint8Array) => {
    const kept = bytes.subarray(0, Math.max(0, stdoutLimit - stdoutBytes))
    stdoutBytes += bytes.byteLength
    if (kept.byteLength > 0) options.print(kept)
  }
  const ended = (exitCode: number | null, limit: ScriptEnd['limit'] = null): ScriptEnd => {
    return { exitCode, limit, stdoutBytes, stdoutTruncated: stdoutBytes > stdoutLimit }
  }
  try {
    if (minMs > 0) await sleep(minMs, undefined, { signal: stop })
    for (const line of code.split('\n')) {
      const [word, rest = ''] = line.trim().split(/ (.*)/, 2)
      if (word === 'exit') return ended(Number(/^\d+/.exec(rest)?.[0] ?? 0))
      if (word === 'echo') print(Buffer.from(`${rest}\n`))
      if (word === 'cat') print(await unlessAborted(options.stdin, stop))
      if (word === 'sleep') await sleep(Number(rest) * 1000, undefined, { signal: stop })
      if (killOnOverflow && stdoutBytes > stdoutLimit) return ended(null, 'output')
    }
    return ended(0)
  } catch (error) {
    if (!stop.aborted) throw error
    return ended(null, 'timeout')
  } finally {
    clearTimeout(timer)
  }
}

async function unlessAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const reject = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', reject, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([value, aborted.promise])
  } finally {
    signal.removeEventListener('abort', reject)
  }
}
