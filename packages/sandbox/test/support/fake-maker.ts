import { pickLimits } from '@isopod/protocol'
import type { JobStart, NewContainer } from '../../src/driver/container.ts'
import type { ContainerKind, ContainerPurpose } from '../../src/driver/container-kind.ts'
import type { Driver } from '../../src/driver/driver.ts'
import { limits } from './execution.ts'

/** A container without an engine; a test can make it die. */
export class FakeContainer {
  readonly kind: ContainerKind
  readonly purpose: ContainerPurpose
  readonly assigned: JobStart[] = []
  readonly changes: unknown[] = []
  isIdle = true
  destroyed = false
  /** Called on each change of limits; may throw. */
  onChange: () => void = () => {}

  constructor(kind: ContainerKind, purpose: ContainerPurpose) {
    this.kind = kind
    this.purpose = purpose
  }

  get origin() {
    return this.purpose.origin
  }

  assign({ id, attempt }: JobStart): void {
    this.assigned.push({ id, attempt })
  }

  async changeLimits(changed: unknown): Promise<void> {
    this.changes.push(changed)
    this.onChange()
  }

  destroy(): void {
    this.destroyed = true
    this.isIdle = false
  }
}

/** Makes fake containers after a delay, or fails. */
export class FakeMaker implements Pick<Driver, 'make'> {
  readonly made: FakeContainer[] = []
  /** Containers that are being made now, and the maximum so far. */
  making = 0
  maxMaking = 0
  takesMs = 60
  fails = false

  async make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<NewContainer> {
    this.making++
    this.maxMaking = Math.max(this.maxMaking, this.making)
    try {
      await new Promise((resolve) => setTimeout(resolve, this.takesMs))
      if (this.fails) throw new Error('no engine')
      signal.throwIfAborted()
      const container = new FakeContainer(kind, purpose)
      this.made.push(container)
      // The pool uses no other member of a container.
      return container as unknown as NewContainer
    } finally {
      this.making--
    }
  }

  /** Living containers that are not assigned to an execution. */
  get idle(): FakeContainer[] {
    return this.made.filter(({ destroyed, assigned }) => !destroyed && assigned.length === 0)
  }
}

/** A kind with some limits changed. */
export function kind(image: string, changes: Partial<ContainerKind['limits']> = {}): ContainerKind {
  const asked = pickLimits({ ...limits(), ...changes }, 'container', 'creation', 'process')
  return { image, runtime: 'runc', limits: asked, profile: 'default', opens: [] }
}
