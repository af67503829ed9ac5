/** The command was called wrongly; the message is the sentence that its user reads. */
export class UsageError extends Error {
  readonly code = 'usage'
}
