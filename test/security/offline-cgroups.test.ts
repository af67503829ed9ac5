import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const V1 = '/sys/fs/cgroup/memory'
const V2 = '/sys/fs/cgroup'
const base = existsSync(`${V1}/cgroup.procs`) ? V1 : V2
const canTry = process.getuid?.() === 0 && existsSync(`${base}/cgroup.procs`)

beforeEach((context) => context.skip(!canTry, 'needs root and a writable /sys/fs/cgroup'))

/** Cgroups to make. `NOISE` allows for those that other specs make or remove at the same time. */
const GROUPS = 60
const NOISE = 30

function offline(): number {
  const said = execFileSync(process.execPath, [join(ROOT, 'scripts/offline-cgroups.mjs')], {
    encoding: 'utf8',
  })
  return Number(/, (\d+) offline$/m.exec(said)?.[1])
}

/** Makes the kernel drop the cached pages of a file, which no program in a container can. */
const EVICT = 'sync "$@"; for file; do dd if="$file" iflag=nocache count=0 status=none; done'

it('the kernel keeps a removed cgroup as long as it caches file pages that the cgroup was the first to read', async () => {
  // Not in /tmp, because the pages of a tmpfs cannot be dropped.
  const folder = mkdtempSync(join(ROOT, '.offline-cgroups-'))
  const parent = `${base}/isopod-spec-${process.pid}`
  mkdirSync(parent)
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    rmdirSync(parent)
  })
  if (base === V2) writeFileSync(`${parent}/cgroup.subtree_control`, '+memory')
  const files = Array.from({ length: GROUPS }, (_, index) => join(folder, String(index)))
  for (const file of files) writeFileSync(file, 'x'.repeat(65_536))
  const evict = () => execFileSync('sh', ['-c', EVICT, 'sh', ...files])
  evict()
  const before = offline()
  for (const [index, file] of files.entries()) {
    const group = `${parent}/${index}`
    mkdirSync(group)
    execFileSync('sh', ['-c', 'echo $$ > "$0/cgroup.procs" && cat "$1" > /dev/null', group, file])
    rmdirSync(group)
  }
  expect(offline() - before).toBeGreaterThan(NOISE)
  const kept = offline()
  evict()
  expect(
    await eventually(
      async () => kept - offline(),
      (gone) => gone > NOISE,
    ),
  ).toBeGreaterThan(NOISE)
})
