/** Signals with which a person or a service manager ends a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs something that the first Ctrl-C (or SIGTERM, SIGHUP) asks to end, by aborting its signal. A second one ends the
 * process at once.
 */
export async function interruptible<T>(use: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  for (const name of SIGNALS) process.on(name, interrupt)
  try {
    return await use(controller.signal)
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt)
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A pending promise alone does not keep a process alive.
    const alive = setInterval(() => {}, 60_000)
    const done = () => {
      clearInterval(alive)
      resolve()
    }
    if (signal.aborted) done()
    else signal.addEventListener('abort', done, { once: true })
  })
}
