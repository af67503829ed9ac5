/** Names of contenders in rows, tables and charts. */
export const NAMES = {
  dockerRun: 'docker run',
  loop: 'dockerode loop',
  loopOurSeccomp: 'dockerode loop, our seccomp profile',
  loopCrun: 'dockerode loop, crun',
  plain: 'plain interpreter',
  bullmq: 'raw BullMQ',
  fresh: 'isopod fresh',
  freshPreload: 'isopod fresh, preload',
  batch: 'isopod batch',
  batchPreload: 'isopod batch, preload',
  batchSplit: 'isopod batch, split',
  batchSplitPreload: 'isopod batch, split, preload',
  batchOneProcess: 'isopod batch, one process, preload',
  process: 'isopod process',
  processWithoutPool: 'isopod process, no pool',
  processPreload: 'isopod process, preload',
  processBatch: 'isopod process, batch',
  processBatchSplit: 'isopod process, batch, split, preload',
  sandboxes: 'process sandboxes',
  own: 'the program itself',
  queue: 'isopod queue',
  wholeResults: 'whole results',
  queueWithoutTurns: 'isopod queue without turns',
  queueOfTenants: 'isopod queue, 100 tenants',
  worker: 'isopod worker',
  onePerTest: 'one container per test',
  oneForAll: 'isopod, one container for all',
  live: 'isopod live output',
  client: 'isopod client',
  gateway: 'isopod gateway',
} as const

/** Prefix of a metric that is a part of `time`. */
export const PART = 'part: '

/** Prefix of a metric that counts what sandboxes have left on the host. */
export const LEFT_ON_HOST = 'left: '

/** Growth of a worker's memory over the last half of 20,000 jobs. */
export const LATE_GROWTH = 'RSS, jobs 15,001 to 20,000 above 10,001 to 15,000'

/** Processor time that a sandbox takes beside that of its program, and that of the program. */
export const CPU_BESIDE_PROGRAM = 'processor time beside the program'
export const CPU_OF_PROGRAM = 'processor time of the program'
