/** Linux numbers of signals that end programs (signal(7)), because programs run on Linux wherever this code runs. */
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

/** Replaces a missing exit code (timeout, no run), because the documents have no null. */
export const NO_EXIT_CODE = -1

/** `SIGSEGV` → 11; undefined for other names. */
export function signalNumber(name: string): number | undefined {
  return SIGNALS[name]
}

/** The end of a run as one integer: its exit code, 128 plus the signal's number as in shells, or -1. */
export function documentedExitCode(
  end: { readonly exitCode: number | null; readonly signal: string | null },
  status?: string,
): number {
  if (status === 'timeout') return NO_EXIT_CODE
  if (end.exitCode !== null) return end.exitCode
  const signal = signalNumber(end.signal ?? '')
  return signal === undefined ? NO_EXIT_CODE : 128 + signal
}
