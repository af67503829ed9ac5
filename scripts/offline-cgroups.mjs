// Counts the memory cgroups of removed containers that this host's kernel keeps: `node scripts/offline-cgroups.mjs`.
// docs/offline-cgroups.md explains them.
import { readdirSync, readFileSync } from 'node:fs'

const ROOT = '/sys/fs/cgroup'

/** A folder and all folders in it. */
function folders(path) {
  let entries
  try {
    entries = readdirSync(path, { withFileTypes: true })
  } catch {
    // Removed since it was listed.
    return 0
  }
  return entries
    .filter((entry) => entry.isDirectory())
    .reduce((sum, { name }) => sum + folders(`${path}/${name}`), 1)
}

function counts() {
  const controllers = readFileSync('/proc/cgroups', 'utf8')
  const [, hierarchy, groups] = /^memory\s+(\d+)\s+(\d+)/m.exec(controllers) ?? []
  if (hierarchy !== undefined && hierarchy !== '0') {
    const live = folders(`${ROOT}/memory`)
    return { version: 1, live, offline: Math.max(0, Number(groups) - live) }
  }
  const stat = readFileSync(`${ROOT}/cgroup.stat`, 'utf8')
  const number = (name) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(stat)?.[1] ?? 0)
  return { version: 2, live: number('nr_descendants') + 1, offline: number('nr_dying_descendants') }
}

const { version, live, offline } = counts()
console.log(`cgroup v${version}: ${live} live, ${offline} offline`)
