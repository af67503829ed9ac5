import { TerminalError } from '@isopod/protocol'

/** A program of the job's author, which was to judge, failed itself. That says nothing about the host, nor about who is judged. */
export class CheckerFaultError extends TerminalError {
  /** @param message may quote the program and what it said: it is for the job's result alone */
  constructor(message: string) {
    super(message, { publicMessage: 'a program that judges the tests failed' })
  }
}
