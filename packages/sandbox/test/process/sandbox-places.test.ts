import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawnerBinary } from '@isopod/init'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DRIVER } from '../../../../test/support/runtime.ts'
import { CgroupTree } from '../../src/process/cgroup-tree.ts'
import { findCgroups } from '../../src/process/find-cgroups.ts'
import { ProcessRemover } from '../../src/process/process-remover.ts'
import { SandboxRecords } from '../../src/process/records.ts'
import { type SandboxPlace, SandboxPlaces, SPARE_PLACES } from '../../src/process/sandbox-places.ts'
import { Spawner } from '../../src/process/spawner.ts'
import { timedBy } from '../../src/process/timed.ts'

let directory: string
let cgroups: CgroupTree
let records: SandboxRecords
let remover: ProcessRemover
let spawner: Spawner
let places: SandboxPlaces

/** Why this host cannot make the cgroups of these specs, if it cannot. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'cgroups need root on Linux'
  if (!existsSync('/sys/fs/cgroup/memory') && DRIVER !== 'process') {
    return 'with cgroup v2, the processes of this spec would be moved; ISOPOD_DRIVER=process allows it'
  }
  try {
    findCgroups().close()
    return undefined
  } catch (error) {
    return String(error)
  }
}
const reason = obstacle()

function open(program: string, tree: CgroupTree): void {
  cgroups = tree
  records = new SandboxRecords(directory)
  remover = new ProcessRemover({ cgroups, records, timed: timedBy(() => {}), onFailure: () => {} })
  spawner = new Spawner(program, `${directory}.sock`)
  places = new SandboxPlaces({
    ...{ cgroups, records, spawner, mark: { deployment: 'd', owner: 'w' } },
    remove: (place) => remover.remove(place, () => {}),
  })
}
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'isopod-places-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const spares = () => [...records.all()].filter(([, { isSpare }]) => isSpare).map(([id]) => id)
const isIn = ({ cgroup }: Pick<SandboxPlace, 'cgroup'>) =>
  cgroup.doors.every((door) => readFileSync(door, 'utf8').trim() !== '')

describe('places for sandboxes', () => {
  beforeEach(async (context) => {
    context.skip(reason !== undefined, reason)
    open((await spawnerBinary()).path, findCgroups())
  })
  afterEach(async () => {
    if (reason !== undefined) return
    await places.close()
    await remover.idle()
    await spawner.close()
    cgroups.close()
  })

  it('have a record, a cgroup, and one process in it that waits', async () => {
    const place = await places.take()
    expect(records.all().get(place.id)).toMatchObject({ deployment: 'd', owner: 'w', job: '', attempt: 0 })
    await expect.poll(() => isIn(place)).toBe(true)
    expect(place.process.isRunning).toBe(true)
    remover.remove(place, () => {})
  })

  it('are prepared ahead once the first was taken', async () => {
    const first = await places.take()
    await expect.poll(() => spares().length).toBe(SPARE_PLACES + 1)
    const second = await places.take()
    expect(second.id).not.toBe(first.id)
    await expect.poll(() => spares().length).toBe(SPARE_PLACES + 2)
    for (const place of [first, second]) remover.remove(place, () => {})
  })

  it('are not used if their process has ended', async () => {
    remover.remove(await places.take(), () => {})
    await expect.poll(() => spares().length).toBe(SPARE_PLACES)
    const dead = spares()
    await expect
      .poll(() => dead.every((id) => readFileSync(cgroups.at(id).doors[0] ?? '', 'utf8') !== ''))
      .toBe(true)
    await spawner.close()
    const place = await places.take()
    expect(place.process.isRunning).toBe(true)
    expect(dead).not.toContain(place.id)
    remover.remove(place, () => {})
  })

  it('are not used if their cgroup is gone, even if their process still seems to run', async () => {
    remover.remove(await places.take(), () => {})
    await expect.poll(() => spares().length).toBe(SPARE_PLACES)
    const waiting = spares()
    for (const cgroup of waiting.map((id) => cgroups.at(id))) {
      await expect.poll(() => isIn({ cgroup })).toBe(true)
      // Moved to the cgroup of this process, so that the other one can be removed.
      for (const door of cgroup.doors) {
        const own = join(dirname(door), '../..')
        // With version 2, where the processes of this worker are.
        const leaf = join(own, 'isopod-worker')
        writeFileSync(`${existsSync(leaf) ? leaf : own}/cgroup.procs`, readFileSync(door, 'utf8').trim())
      }
      expect(cgroup.removeNow()).toBe(true)
    }
    const place = await places.take()
    expect([place.cgroup.exists, waiting.includes(place.id)]).toEqual([true, false])
    remover.remove(place, () => {})
  })

  it('leave nothing when they are closed, also right after they were made', async () => {
    const place = await places.take()
    remover.remove(place, () => {})
    await expect.poll(() => spares().length, { interval: 1 }).toBeGreaterThan(1)
    const ids = spares()
    await places.close()
    await remover.idle()
    expect([records.all().size, ids.length > 0]).toEqual([0, true])
    expect(
      [place.id, ...ids].flatMap((id) => cgroups.at(id).doors).filter((door) => existsSync(door)),
    ).toEqual([])
  })
})

it('places that the host refuses leave neither record nor cgroup', async () => {
  const base = join(directory, 'cgroups')
  mkdirSync(base)
  // Folders are enough: no process ever joins.
  open('/nowhere', new CgroupTree(2, new Map([['memory', base]])))
  await expect(places.take()).rejects.toThrow('the program that starts sandboxes has ended')
  await places.close()
  expect([records.all().size, readdirSync(base)]).toEqual([0, []])
})
