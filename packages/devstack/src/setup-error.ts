import { dirname } from 'node:path'

/**
 * A part of the stack is missing or did not start. The message is one sentence for a person, with the command to run if there
 * is one; the last lines of a log may follow.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError'
  readonly code: string = 'setup'
}

/** Runs `work`. Turns a file permission error into a sentence about the file's likely owner. */
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
