import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url))

/** Runs a worker until it ends by itself, at most 20 s. */
export function workerWith(
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string; ms: number }> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [WORKER],
      { env: { ...process.env, PORT: '0', ...env }, timeout: 20_000 },
      (_, stdout, stderr) =>
        resolve({ code: child.exitCode, output: stdout + stderr, ms: performance.now() - started }),
    )
  })
}
