import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { World } from '../world.ts'
import type { Sighting } from './sighting.ts'

/** A pooled container that a job got. */
export interface Assignment {
  readonly container: string
  /** When it had the job's limits, in milliseconds since 1970. */
  readonly at: number
}

/** Whose containers the thread watches. */
export interface Watched {
  readonly dockerHost: string
  readonly stack: string
  /** State directory of workers with the process driver. */
  readonly state: string
  readonly runtime: string
}

/** What the thread is asked for; it answers with sightings. */
export type ContainmentQuestion =
  | { readonly ofJob: string; readonly assignments: readonly Assignment[] }
  | { readonly ofContainer: string }

/** Watches all containers of one stack from the host's side. */
export interface ContainmentWatch {
  /** The containers of a job, oldest first, once each of them has ended; without those that were not read during the job. */
  ofJob(job: string): Promise<readonly Sighting[]>
  /** The observations of a container so far. */
  ofContainer(container: string): Promise<Sighting | undefined>
  close(): Promise<void>
}

/**
 * Reads the control groups and processes of each container that starts: in a thread of its own, because a sandbox of the process
 * driver lives for milliseconds, and the specs keep their own thread busy for longer.
 *
 * @param world whose containers
 * @param assigned returns the pooled containers that a job got, which have no label with its id
 */
export async function watchContainment(
  { dockerHost, prefix, sandboxState }: Pick<World, 'dockerHost' | 'prefix' | 'sandboxState'>,
  runtime: string,
  assigned: (job: string) => Promise<readonly Assignment[]> = async () => [],
): Promise<ContainmentWatch> {
  const workerData: Watched = { dockerHost, stack: prefix, state: sandboxState, runtime }
  const thread = new Worker(new URL('containment-thread.ts', import.meta.url), { workerData, execArgv: [] })
  const answers = new Map<number, (sightings: readonly Sighting[]) => void>()
  let asked = 0
  const ask = (question: ContainmentQuestion) =>
    new Promise<readonly Sighting[]>((resolve) => {
      answers.set(++asked, resolve)
      thread.postMessage({ id: asked, question })
    })
  // The first message: it watches.
  await once(thread, 'message')
  thread.on('message', ({ id, sightings }: { id: number; sightings: readonly Sighting[] }) => {
    answers.get(id)?.(sightings)
    answers.delete(id)
  })
  return {
    ofJob: async (ofJob) => await ask({ ofJob, assignments: await assigned(ofJob) }),
    ofContainer: async (ofContainer) => (await ask({ ofContainer }))[0],
    close: async () => void (await thread.terminate()),
  }
}
