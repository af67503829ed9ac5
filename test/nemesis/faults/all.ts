import { CONTAINER_FAULTS } from './containers.ts'
import { DISK_FAULTS } from './disks.ts'
import { ENGINE_FAULTS } from './engine.ts'
import type { Fault } from './fault.ts'
import { NETWORK_FAULTS } from './network.ts'
import { POISON_FAULTS } from './poison.ts'
import { PRODUCER_FAULTS } from './producers.ts'
import { REDIS_FAULTS } from './redis.ts'
import { WORKER_FAULTS } from './workers.ts'

/** All faults, by family. */
export const FAULTS: readonly Fault[] = [
  ...REDIS_FAULTS,
  ...NETWORK_FAULTS,
  ...WORKER_FAULTS,
  ...PRODUCER_FAULTS,
  ...POISON_FAULTS,
  ...DISK_FAULTS,
  ...ENGINE_FAULTS,
  ...CONTAINER_FAULTS,
]
