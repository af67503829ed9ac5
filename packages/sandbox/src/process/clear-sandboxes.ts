import { dirname, join } from 'node:path'
import { removeEmpty } from './cgroup-files.ts'
import { Cgroup } from './cgroup-tree.ts'
import { LEAF } from './find-cgroups.ts'
import { SandboxRecords } from './records.ts'

/**
 * Ends and removes all sandboxes that the records of a state directory name, and the directories that held their cgroups. Only for a
 * directory whose workers have all ended.
 *
 * @returns how many there were, with the places that waited for a sandbox
 */
export async function clearSandboxes(state: string): Promise<number> {
  const records = new SandboxRecords(join(state, 'records'))
  const all = [...records.all()]
  await Promise.all(
    all.map(async ([id, { cgroup, folders = [] }]) => {
      const directories = new Map(Object.entries(cgroup))
      // Killing processes one by one works with both versions.
      await new Cgroup(1, directories, { limitsSwap: false, views: {}, folders }).remove()
      records.remove(id)
    }),
  )
  for (const folder of new Set(all.flatMap(([, { folders = [] }]) => folders))) {
    removeEmpty(folder)
    removeEmpty(join(dirname(folder), LEAF))
  }
  return all.length
}
