import { Job as BullJob, type Queue } from 'bullmq'

/** BullMQ's object of a job, without reading the job: for commands that need only its id. */
export function handleOf(jobs: Queue, id: string): BullJob {
  return new BullJob(jobs, 'execute', null, {}, id)
}
