import { installPackages, SetupError } from '@isopod/devstack'

/** Installs `redis-server`, which each spec file of the queue starts. */
export async function setup(): Promise<void> {
  try {
    await installPackages(['redis'], (line) => console.error(`stack: ${line}`))
  } catch (error) {
    // Most unit specs need no Redis; the others fail with a clear message.
    if (!(error instanceof SetupError)) throw error
    console.error(`stack: ${error.message}`)
  }
}
