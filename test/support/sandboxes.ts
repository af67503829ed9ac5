import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Ids of the sandboxes that workers with the process driver made, without places that wait for one. */
export async function sandboxesOf(state: string): Promise<string[]> {
  const names = await readdir(join(state, 'records')).catch(() => [])
  const records = await Promise.all(
    names.map(async (id) => ({
      id,
      text: await readFile(join(state, 'records', id), 'utf8').catch(() => ''),
    })),
  )
  return records.filter(({ text }) => text !== '' && !JSON.parse(text).isSpare).map(({ id }) => id)
}
