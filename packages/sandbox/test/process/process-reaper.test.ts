import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CgroupTree } from '../../src/process/cgroup-tree.ts'
import { reapSandboxes } from '../../src/process/process-reaper.ts'
import { ProcessRemover } from '../../src/process/process-remover.ts'
import { type SandboxRecord, SandboxRecords } from '../../src/process/records.ts'
import { timedBy } from '../../src/process/timed.ts'

const MINUTE = 60_000
let directory: string
let records: SandboxRecords
let failures: string[]
let remover: ProcessRemover
/** Folders play cgroups: they are made and removed by the same calls. */
const cgroup = (id: string) => join(directory, 'isopod-cgroups', id)

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'isopod-reaper-'))
  for (const name of ['records', 'isopod-cgroups']) mkdirSync(join(directory, name))
  records = new SandboxRecords(join(directory, 'records'))
  failures = []
  remover = new ProcessRemover({
    cgroups: new CgroupTree(2, new Map([['memory', join(directory, 'isopod-cgroups')]])),
    records,
    timed: timedBy(() => {}),
    onFailure: (container) => failures.push(container),
  })
})
afterEach(() => rmSync(directory, { recursive: true }))

function leave(id: string, changes: Partial<SandboxRecord> = {}): void {
  const deadline = Date.now() + MINUTE
  const place = { deployment: 'ours', owner: 'alive', deadline, cgroup: { memory: cgroup(id) } }
  records.add(id, { ...place, job: `job-${id}`, attempt: 1, ...changes })
  mkdirSync(cgroup(id))
}

/** Reaps with these owners alive: one answer for each time that the reaper asks. */
async function reap(...answers: string[][]) {
  const asked: (readonly string[])[] = []
  const reaped: string[] = []
  const count = await reapSandboxes({
    ...{ records, remover, deployment: 'ours', graceMs: 20 },
    alive: async (owners) => {
      asked.push(owners)
      return new Set(answers[Math.min(asked.length, answers.length) - 1])
    },
    onReaped: ({ container, job, attempt }, reason) =>
      reaped.push(`${container} ${job} ${attempt} ${reason}`),
  })
  return { count, asked, reaped, left: [...records.all().keys()].sort() }
}

describe('the reaper of sandboxes', () => {
  it('leaves sandboxes whose owner lives, and does not wait then', async () => {
    leave('a')
    leave('b', { owner: 'other' })
    const { count, asked, left } = await reap(['alive', 'other'])
    expect([count, left, asked.length]).toEqual([0, ['a', 'b'], 1])
    expect(asked[0]?.toSorted()).toEqual(['alive', 'other'])
    expect(existsSync(cgroup('a'))).toBe(true)
  })

  it('asks nobody where there is no sandbox of its deployment', async () => {
    leave('a', { deployment: 'theirs', owner: 'gone' })
    expect(await reap([])).toMatchObject({ count: 0, asked: [], left: ['a'] })
  })

  it('removes the cgroups that a gone worker made below its own cgroup, elsewhere, and all its folders', async () => {
    const [elsewhere, view] = [join(directory, 'elsewhere'), join(directory, 'view')]
    mkdirSync(join(elsewhere, 'a'), { recursive: true })
    mkdirSync(view)
    leave('a', { owner: 'gone', cgroup: { memory: join(elsewhere, 'a') }, folders: [elsewhere, view] })
    expect(await reap(['alive'])).toMatchObject({ count: 1, left: [] })
    expect([existsSync(elsewhere), existsSync(view)]).toEqual([false, false])
  })

  it('keeps the folders of a worker that lives', async () => {
    mkdirSync(join(directory, 'view'))
    leave('a', { deadline: Date.now() - 1, folders: [join(directory, 'view')] })
    expect(await reap(['alive'])).toMatchObject({ count: 1, left: [] })
    expect(existsSync(join(directory, 'view'))).toBe(true)
  })

  it('removes the cgroup of a record that cannot be read, a minute after it was written', async () => {
    const file = join(directory, 'records', 'a')
    mkdirSync(cgroup('a'))
    writeFileSync(file, '{"deployment":')
    expect(await reap([])).toMatchObject({ count: 0, left: ['a'] })
    utimesSync(file, new Date(), new Date(Date.now() - 1.1 * MINUTE))
    expect(await reap([])).toMatchObject({ count: 1, left: [], reaped: ['a  0 deadline'] })
    expect(existsSync(cgroup('a'))).toBe(false)
  })

  it('removes cgroup and record of a sandbox whose owner is gone', async () => {
    leave('a')
    leave('b', { owner: 'gone', attempt: 2 })
    expect(await reap(['alive'])).toMatchObject({ count: 1, left: ['a'], reaped: ['b job-b 2 owner_gone'] })
    expect([existsSync(cgroup('a')), existsSync(cgroup('b'))]).toEqual([true, false])
  })

  it('waits for an owner that renews its lease within the time of grace', async () => {
    leave('a', { owner: 'late' })
    const { count, asked, left } = await reap([], ['late'])
    expect([count, asked.length, left]).toEqual([0, 2, ['a']])
  })

  it('removes a sandbox past its deadline, though its owner lives', async () => {
    leave('a', { deadline: Date.now() - 1 })
    expect(await reap(['alive'])).toMatchObject({ count: 1, left: [], reaped: ['a job-a 1 deadline'] })
  })

  it('leaves sandboxes of another deployment until a minute after their deadline', async () => {
    leave('a', { deployment: 'theirs', owner: 'gone' })
    leave('b', { deployment: 'theirs', deadline: Date.now() - 0.9 * MINUTE })
    leave('c', { deployment: 'theirs', deadline: Date.now() - 1.1 * MINUTE })
    expect(await reap([])).toMatchObject({ count: 1, left: ['a', 'b'], reaped: ['c job-c 1 deadline'] })
  })

  it('removes the places of a worker that is gone, but does not count them as sandboxes', async () => {
    leave('a', { owner: 'gone', isSpare: true, job: '', attempt: 0 })
    expect(await reap([])).toMatchObject({ count: 0, left: [], reaped: [] })
    expect(existsSync(cgroup('a'))).toBe(false)
  })

  it('removes the record of a sandbox whose cgroup is gone', async () => {
    leave('a', { owner: 'gone' })
    rmSync(cgroup('a'), { recursive: true })
    expect(await reap([])).toMatchObject({ count: 1, left: [] })
  })

  it('keeps the record if the cgroup cannot be removed, to try again', async () => {
    leave('a', { owner: 'gone' })
    mkdirSync(join(cgroup('a'), 'child'))
    expect(await reap([])).toMatchObject({ count: 0, reaped: [], left: ['a'] })
    expect(failures).toEqual(['a'])
  })
})
