import type { IsopodClient } from '@isopod/client'

/** The part of the client that commands use. */
export type JobClient = Pick<
  IsopodClient,
  | 'submitMany'
  | 'run'
  | 'wait'
  | 'events'
  | 'batch'
  | 'result'
  | 'results'
  | 'cancel'
  | 'cancelJobs'
  | 'jobs'
  | 'queue'
  | 'languages'
  | 'close'
>
