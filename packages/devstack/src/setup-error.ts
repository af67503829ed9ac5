import { dirname } from 'node:path'

/**
 * A piece of the stack is missing or did not start, and it can't be supplied from here. The message is one sentence for
 * a person, with the command to run where there is one; the last lines of a log may follow it.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError'
  readonly code = 'setup'
}

/** Runs `work`; a file that this user may not touch becomes one sentence about whose it could be. */
export async function asSetupError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    const where = path === undefined ? 'the stack' : dirname(path)
    throw new SetupError(`${where} belongs to another user; run this as the user who set the stack up`, {
      cause: error,
    })
  }
}
