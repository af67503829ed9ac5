import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { CgroupTree } from '../../src/process/cgroup-tree.ts'
import { reapSandboxes } from '../../src/process/process-reaper.ts'
import { ProcessRemover } from '../../src/process/process-remover.ts'
import { SandboxRecords } from '../../src/process/records.ts'
import { timedBy } from '../../src/process/timed.ts'

const folder = mkdtempSync(join(tmpdir(), 'isopod-reap-'))

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('the reaper removes the cgroups that a gone worker made below its own cgroup, elsewhere', async () => {
  const [records, mine, elsewhere] = ['records', 'mine', 'elsewhere'].map((name) => join(folder, name))
  const left = join(String(elsewhere), 'id')
  for (const path of [records, mine, left]) mkdirSync(String(path), { recursive: true })
  const kept = new SandboxRecords(String(records))
  const place = { deployment: 'd', job: 'j', attempt: 1, deadline: Date.now() + 60_000 }
  kept.add('id', { ...place, owner: 'gone', cgroup: { memory: left, pids: left } })
  const remover = new ProcessRemover({
    cgroups: new CgroupTree(2, new Map([['memory', String(mine)]])),
    records: kept,
    timed: timedBy(() => {}),
    onFailure: (_, error) => expect.fail(String(error)),
  })
  const reaped: unknown[] = []
  const alive = async () => new Set<string>()
  const onReaped = (subject: unknown) => reaped.push(subject)
  expect(await reapSandboxes({ records: kept, remover, deployment: 'd', alive, onReaped, graceMs: 0 })).toBe(
    1,
  )
  expect(reaped).toEqual([{ container: 'id', job: 'j', attempt: 1 }])
  expect([existsSync(String(elsewhere)), kept.all().size]).toEqual([false, 0])
})
