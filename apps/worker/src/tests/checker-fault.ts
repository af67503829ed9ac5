import { TerminalError } from '@isopod/protocol'

/** A program of the job's author, which was to judge, failed itself. That says nothing about the host, nor about who is judged. */
export class CheckerFaultError extends TerminalError {}
