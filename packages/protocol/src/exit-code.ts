import type { Status } from './status.ts'

/** Linux numbers of the signals that end programs: programs run on Linux, wherever this code does (signal(7)). */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
}

/** Stands for an exit code where there was none: a timeout, or a program that never ran. The documents know no null. */
export const NO_EXIT_CODE = -1

/** `SIGSEGV` → 11; undefined for what is no signal that ends programs. */
export function signalNumber(name: string): number | undefined {
  return SIGNALS[name]
}

/** How a run ended, as one integer: its exit code, or 128 and the signal's number as shells count, or -1. */
export function documentedExitCode(
  end: { readonly exitCode: number | null; readonly signal: string | null },
  status?: Status,
): number {
  if (status === 'timeout') return NO_EXIT_CODE
  if (end.exitCode !== null) return end.exitCode
  const signal = signalNumber(end.signal ?? '')
  return signal === undefined ? NO_EXIT_CODE : 128 + signal
}
