import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A sandbox of a worker with the process driver. */
export interface RecordedSandbox {
  readonly id: string
  /** '' in the pool. */
  readonly job: string
}

/** The sandboxes that workers with the process driver have, without places that wait for one. @param state their directory */
export async function recordedSandboxes(state: string): Promise<RecordedSandbox[]> {
  const names = await readdir(join(state, 'records')).catch(() => [])
  const records = await Promise.all(
    names.map(async (id) => ({
      id,
      text: await readFile(join(state, 'records', id), 'utf8').catch(() => ''),
    })),
  )
  return records.flatMap(({ id, text }) => {
    if (!/^[0-9a-f]{64}$/.test(id) || text === '') return []
    const { job, isSpare } = JSON.parse(text) as { job: string; isSpare?: boolean }
    return isSpare ? [] : [{ id, job }]
  })
}

/** Ids of {@link recordedSandboxes}. */
export async function sandboxesOf(state: string): Promise<string[]> {
  return (await recordedSandboxes(state)).map(({ id }) => id)
}
