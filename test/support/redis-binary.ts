import { installPackages, SetupError } from '@isopod/devstack'

/** Specs of the queue start a Redis for each file; this installs the binary and nothing else. */
export async function setup(): Promise<void> {
  try {
    await installPackages(['redis'], (line) => console.error(`stack: ${line}`))
  } catch (error) {
    // Most unit specs do without; those that don't will say so themselves.
    if (!(error instanceof SetupError)) throw error
    console.error(`stack: ${error.message}`)
  }
}
