import { TerminalError } from '@isopod/protocol'

/** A checker program or an interactor of the job failed. That says nothing about the host, nor about the program under test. */
export class CheckerFaultError extends TerminalError {
  /** @param message may quote the program and its output, so it belongs into the job's result and into no log */
  constructor(message: string) {
    super(message, { publicMessage: 'a program that judges the tests failed' })
  }
}
