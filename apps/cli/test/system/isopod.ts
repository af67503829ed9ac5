import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../bin/isopod.js', import.meta.url))

/** Output and exit code of a finished command. */
export interface Finished {
  readonly exitCode: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** Runs the real command in a separate process. */
export function isopod(
  args: readonly string[],
  options: {
    env?: NodeJS.ProcessEnv
    stdin?: string
    onStarted?: (kill: (signal: NodeJS.Signals) => void) => void
  } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [BIN, ...args], { env: { ...process.env, ...options.env } })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  // A command with invalid arguments ends without reading its input: a broken pipe is expected.
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin ?? '')
  options.onStarted?.((signal) => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) =>
      resolve({
        exitCode,
        stdout: Buffer.concat(out),
        stderr: Buffer.concat(err).toString('utf8'),
      }),
    )
  })
}
