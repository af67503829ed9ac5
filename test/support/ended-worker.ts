import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { scaled } from './time-factor.ts'

const WORKER = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url))

/**
 * Runs a worker until it exits. After 20 s (more on slow machines) it is killed, and `code` is null.
 *
 * @param through a command that starts the worker, which follows as its arguments
 */
export function runWorkerToExit(
  env: NodeJS.ProcessEnv,
  through: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const [file = process.execPath, ...args] = [...through, process.execPath, WORKER]
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env: { ...process.env, PORT: '0', ...env }, timeout: scaled(20_000) },
      (_, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}
