import type { Done, InitFrame, Ready, Reset } from '@isopod/init'
import type { ContainerSource } from '../../src/acquire/container-source.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { Container, JobStart } from '../../src/driver/container.ts'
import { FrameQueue } from '../../src/driver/frame-queue.ts'

const READY = { memoryBytes: 1, pidsMax: 1 } as Ready

type ScriptedFacts = Pick<Container, 'id' | 'imageDigest' | 'runtime' | 'deadline'>

/** A container without an engine or init; the test decides what its init answers. */
export class ScriptedContainer implements Container {
  readonly id: string
  readonly imageDigest: string
  readonly runtime: string
  readonly isolation: Container['isolation'] = { driver: 'docker', namespaces: [], cgroup: 2 }
  readonly origin = 'made'
  readonly preloaded = false
  readonly user = { uid: 1, gid: 1 }
  readonly hostLimits = undefined
  readonly deadline: number
  readonly frames = new FrameQueue<InitFrame>()
  ready = READY
  destroyed = false
  readonly assigned: string[] = []
  /** Answers the next resets. */
  onReset: () => Promise<Reset> = async () => ({ clean: true, reason: null })
  resets = 0
  resetsUnderWay = 0
  #gone: () => void = () => {}
  readonly #end = new Promise<void>((resolve) => {
    this.#gone = resolve
  })

  constructor({ id, imageDigest, runtime, deadline }: ScriptedFacts) {
    this.id = id
    this.runtime = runtime
    this.imageDigest = imageDigest
    this.deadline = deadline
  }

  assign({ id }: JobStart): void {
    this.assigned.push(id)
  }

  async changeLimits(): Promise<void> {}

  async readConfinement(): Promise<Ready> {
    return this.ready
  }

  resetAfterRun(): boolean {
    return false
  }

  async reset({ isUnderWay = false } = {}): Promise<Reset> {
    this.resets++
    if (isUnderWay) this.resetsUnderWay++
    const ended = this.#end.then(() => {
      throw new Error('it is gone')
    })
    return await Promise.race([this.onReset(), ended])
  }

  async hostMemory() {
    return undefined
  }

  send(): void {}

  receive(): Promise<InitFrame | undefined> {
    return this.frames.shift()
  }

  async end() {
    return 'wire' as const
  }

  async confirmRunning(): Promise<void> {}

  destroy(): void {
    this.destroyed = true
    this.frames.end()
    this.#gone()
  }

  /** Sends init's done frame. */
  done(changes: Partial<Done> = {}): void {
    this.frames.push({ type: 'done', done: { oomKills: 0, ...changes } as Done })
  }
}

/** Makes scripted containers and records them. */
export class ScriptedSource implements ContainerSource {
  readonly made: ScriptedContainer[] = []
  readonly returned: Container[] = []
  digest = 'sha256:1'
  runtime = 'runc'
  livesMs = 3_600_000

  async acquire(_execution: Execution, signal: AbortSignal): Promise<Container> {
    signal.throwIfAborted()
    const id = `c${this.made.length + 1}`
    const { digest: imageDigest, runtime, livesMs } = this
    const container = new ScriptedContainer({ id, imageDigest, runtime, deadline: Date.now() + livesMs })
    this.made.push(container)
    return container
  }

  release(container: Container): void {
    this.returned.push(container)
    container.destroy()
  }
}
