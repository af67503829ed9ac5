/** Linux's numbers, since programs run on Linux wherever the worker runs; the same on x64 and arm64 (signal(7)). */
const NAMES = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGUSR1',
  'SIGSEGV',
  'SIGUSR2',
  'SIGPIPE',
  'SIGALRM',
  'SIGTERM',
  'SIGSTKFLT',
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGVTALRM',
  'SIGPROF',
  'SIGWINCH',
  'SIGIO',
  'SIGPWR',
  'SIGSYS',
]
const FIRST_REALTIME = 34
const LAST_REALTIME = 64

/** Name of a Linux signal number: 9 → `SIGKILL`, 34 → `SIGRTMIN`, 36 → `SIGRTMIN+2`; `SIG<number>` for any other. */
export function signalName(number: number): string {
  if (number === FIRST_REALTIME) return 'SIGRTMIN'
  if (number > FIRST_REALTIME && number <= LAST_REALTIME) return `SIGRTMIN+${number - FIRST_REALTIME}`
  return NAMES[number - 1] ?? `SIG${number}`
}
