import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs the `docker` command on an engine and returns its standard output. */
export async function docker(dockerHost: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { env: { ...process.env, DOCKER_HOST: dockerHost } })
  return stdout.trim()
}

/** Ids of the containers that a stack's workers made, whatever their state. */
export async function containersOf(dockerHost: string, stack: string): Promise<string[]> {
  const ids = await docker(dockerHost, 'ps', '-aq', '--filter', `label=isopod.stack=${stack}`)
  return ids.split('\n').filter((id) => id !== '')
}
