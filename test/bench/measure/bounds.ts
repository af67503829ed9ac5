import { type ProcessorTime, processorTime, secondsOf } from './processor.ts'
import { type Scrape, scrape } from './scrape.ts'

/** Steps of a container's life in the worker's metrics. */
const STEPS = ['create', 'attach', 'start', 'ready', 'look', 'exit', 'inspect', 'remove'] as const
/** Processes whose processor time is reported separately: name → command. */
const COMMANDS = { dockerd: 'dockerd', containerd: 'containerd', redis: 'redis-server' } as const

/** Name of the remaining processor time. */
export const REST = 'the rest: shims, runtime, kernel, others'

/** Average cost of one program at saturation. */
export interface LifeOfContainer {
  readonly programs: number
  /** Step → milliseconds of one program; steps overlap where several programs run at once. */
  readonly stepsMs: Readonly<Record<string, number>>
  /** Process → processor milliseconds per program. */
  readonly processorMs: Readonly<Record<string, number>>
}

/** Adds up the costs of one contender's blocks. */
export class BoundsMeter {
  #programs = 0
  readonly #steps = new Map<string, number>()
  readonly #processor = new Map<string, number>()
  readonly #worker: { readonly url: string; readonly pid: number } | undefined

  /** @param worker the worker of Isopod; undefined for other contenders */
  constructor(worker?: { readonly url: string; readonly pid: number }) {
    this.#worker = worker
  }

  /** Measures one block, which resolves with the number of its programs and the processor milliseconds of these alone. */
  async around(block: () => Promise<{ programs: number; programMs: number }>): Promise<void> {
    const before = await this.#read()
    const { programs, programMs } = await block()
    const after = await this.#read()
    this.#programs += programs
    for (const step of STEPS)
      this.#addTo(this.#steps, step, stepMs(after.metrics, step) - stepMs(before.metrics, step))
    const spent = (who: string | number) => secondsOf(who, before.time, after.time) * 1000
    const known: Record<string, number> = {
      'the programs': programMs,
      'the benchmark itself': spent(process.pid),
      ...(this.#worker && { 'the worker': spent(this.#worker.pid) }),
      ...Object.fromEntries(Object.entries(COMMANDS).map(([name, command]) => [name, spent(command)])),
    }
    const all = (after.time.machine - before.time.machine) * 1000
    const rest = all - Object.values(known).reduce((sum, ms) => sum + ms, 0)
    const parts = { ...known, [REST]: rest }
    for (const [name, ms] of Object.entries(parts)) this.#addTo(this.#processor, name, ms)
  }

  /** Undefined if nothing was measured. */
  get result(): LifeOfContainer | undefined {
    if (this.#programs === 0) return undefined
    const each = (sums: Map<string, number>) =>
      Object.fromEntries(
        [...sums].filter(([, ms]) => ms !== 0).map(([name, ms]) => [name, ms / this.#programs]),
      )
    return { programs: this.#programs, stepsMs: each(this.#steps), processorMs: each(this.#processor) }
  }

  async #read(): Promise<{ metrics: Scrape | undefined; time: ProcessorTime }> {
    return { metrics: this.#worker && (await scrape(this.#worker.url)), time: processorTime() }
  }

  #addTo(sums: Map<string, number>, name: string, ms: number): void {
    sums.set(name, (sums.get(name) ?? 0) + ms)
  }
}

function stepMs(metrics: Scrape | undefined, op: string): number {
  return (metrics?.sum('isopod_container_operation_seconds_sum', { op }) ?? 0) * 1000
}
