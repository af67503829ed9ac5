import type { Container } from '../container.ts'
import type { ChangeableLimits, ContainerKind } from '../container-kind.ts'
import type { ContainerPurpose } from '../container-purpose.ts'

/** A container that can wait for a job which is not known yet. */
export interface WaitingContainer extends Container {
  /** Whether its init is there with nothing to do; false for good once it has ended, whoever ended it. */
  readonly waits: boolean
  /** Gives it other limits and has init read them anew. Rejects with a platform fault: it is of no use then. */
  change(limits: ChangeableLimits): Promise<void>
}

/** Who makes the containers that wait. */
export interface WaitingMaker {
  /** Resolves with a started container; rejects with a platform fault, or the signal's reason once aborted, and leaves nothing then. */
  make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<WaitingContainer>
}
