import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A client in a process of its own: a consumer of results, or a submitter of jobs. */
export interface ClientProcess {
  readonly pid: number
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>
  /** Sends it a line. */
  readonly write: (line: string) => void
}

/** Starts one. @param words its script and arguments @param onLine called for each line that it prints */
export function startClientProcess(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): ClientProcess {
  const child = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  // A killed process reads no more lines.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', onLine)
  return { pid: child.pid ?? 0, ended, write: (line) => void child.stdin.write(`${line}\n`) }
}

/** Sends a signal to a process of the harness that may have ended. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
