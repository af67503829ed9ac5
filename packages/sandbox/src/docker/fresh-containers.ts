import type { Container, ContainerSource } from '../container.ts'
import { kindOf } from '../container-kind.ts'
import type { Execution } from '../sandbox.ts'
import type { ContainerMaker } from './container-maker.ts'
import { containerName } from './labels.ts'

/** Time that an execution may take beyond the limits of its runs, in milliseconds, before the reaper may take its container. */
const DEADLINE_MARGIN_MS = 120_000
/** What a run may take beside its limit, in milliseconds: the files are laid anew, and a program may end late. */
const BETWEEN_RUNS_MS = 10_000
/** How long a container may serve its batch beyond its first execution: as long as its deadline, which cannot be moved, lets it. */
const SHARED_MS = 600_000

/** Makes a container for each execution on the spot, and destroys it afterwards. */
export class FreshContainers implements ContainerSource {
  readonly #maker: ContainerMaker
  readonly #deployment: string

  constructor(maker: ContainerMaker, deployment: string) {
    this.#maker = maker
    this.#deployment = deployment
  }

  acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    const { id, attempt } = execution
    const shared = execution.sharedBy === undefined ? 0 : SHARED_MS
    const deadline = Date.now() + longestMs(execution) + shared
    const name = containerName(this.#deployment, execution)
    const purpose = { name, origin: 'made', job: id, attempt, deadline } as const
    return this.#maker.make(kindOf(execution), purpose, signal)
  }

  giveBack(container: Container): void {
    container.destroy()
  }
}

/** The longest that an execution can need its container, in milliseconds. */
export function longestMs({ language, limits, runs = [{ limits }] }: Execution): number {
  const compile = language.compile ? language.compile_timeout_seconds : 0
  const running = runs.reduce((sum, { limits: { timeoutSeconds } }) => sum + timeoutSeconds, 0)
  return (running + compile) * 1000 + runs.length * BETWEEN_RUNS_MS + DEADLINE_MARGIN_MS
}
