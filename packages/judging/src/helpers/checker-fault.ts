import { TerminalError } from '@isopod/protocol'

/** A checker program or interactor of the job failed, which says nothing about the host or the program under test. */
export class CheckerFaultError extends TerminalError {
  /** @param message for the job's result; never logged, because it can quote the program and its output */
  constructor(message: string) {
    super(message, { publicMessage: 'a program that judges the tests failed' })
  }
}
