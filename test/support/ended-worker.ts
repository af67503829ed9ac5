import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url))

/** Runs a worker until it exits. After 20 s it is killed, and `code` is null. */
export function runWorkerToExit(env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [WORKER],
      { env: { ...process.env, PORT: '0', ...env }, timeout: 20_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}
