import type { Job } from '@isopod/protocol'

/** How strictly a job's source is checked before it runs, and by which rules. */
export type Policy = Job['policy']
