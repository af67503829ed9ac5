import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** Maximum number of characters of the engine's error in an error message. */
const MAX_ERROR_CHARACTERS = 500

/** A Python program and a container with less hardening than those of workers. */
export interface WeakContainer {
  readonly dockerHost: string
  /** Value of the label `isopod.stack`. */
  readonly stack: string
  /** Flags of `docker run`. */
  readonly flags: readonly string[]
  /** The file of the program. */
  readonly path: URL
  readonly stdin: string
}

/**
 * Runs a Python program in a container with only the hardening that `flags` ask for, and returns its stdout.
 *
 * @throws {Error} if the engine cannot start the container
 */
export async function runInWeakContainer(container: WeakContainer): Promise<string> {
  const { dockerHost, stack, flags, path, stdin } = container
  const labels = ['--label', `isopod.stack=${stack}`, '--label', `isopod.job=${stack}`]
  const command = ['isopod/python:3.13', 'python3', '-c', readFileSync(path, 'utf8')]
  const child = spawn('docker', ['run', '--rm', '--interactive', ...labels, ...flags, ...command], {
    env: { ...process.env, DOCKER_HOST: dockerHost },
  })
  child.stdin.on('error', () => {}).end(stdin)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  // Docker itself fails with 125; any other code is the program's.
  if (code === 125)
    throw new Error(`the engine could not start the container: ${stderr.slice(0, MAX_ERROR_CHARACTERS)}`)
  return stdout
}
