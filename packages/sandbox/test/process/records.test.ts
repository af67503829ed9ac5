import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SandboxRecord, SandboxRecords } from '../../src/process/records.ts'

const record: SandboxRecord = { deployment: 'd', owner: 'w', job: 'j', attempt: 1, deadline: 5, cgroup: {} }
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'isopod-records-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

describe('records of sandboxes', () => {
  it('are seen by every worker of the host until they are removed', () => {
    const [one, other] = [new SandboxRecords(directory), new SandboxRecords(directory)]
    one.add('a', record)
    one.add('b', { ...record, isSpare: true })
    expect(other.all()).toEqual(
      new Map([
        ['a', record],
        ['b', { ...record, isSpare: true }],
      ]),
    )
    other.remove('a')
    expect([...one.all().keys()]).toEqual(['b'])
  })

  it('are replaced whole, and nobody else may read them', () => {
    const records = new SandboxRecords(directory)
    for (const job of ['', 'j-1']) records.add('a', { ...record, job })
    expect(records.all().get('a')?.job).toBe('j-1')
    expect(readdirSync(directory)).toEqual(['a'])
    expect(statSync(join(directory, 'a')).mode & 0o777).toBe(0o600)
  })

  it('leave out what is being written, and what is no file', () => {
    writeFileSync(join(directory, 'incomplete.new'), JSON.stringify(record))
    mkdirSync(join(directory, 'folder'))
    const records = new SandboxRecords(directory)
    records.add('a', record)
    expect([...records.all().keys()]).toEqual(['a'])
    expect(readdirSync(directory).sort()).toEqual(['a', 'folder', 'incomplete.new'])
  })

  it('lose what a crashed worker has not written to the end, after a minute', () => {
    const file = join(directory, 'incomplete.new')
    writeFileSync(file, '')
    utimesSync(file, new Date(), new Date(Date.now() - 61_000))
    new SandboxRecords(directory).all()
    expect(readdirSync(directory)).toEqual([])
  })

  it.each([
    '',
    '{"deployment":',
    '5',
    'null',
    '{}',
    '{"deployment":"d","owner":"w","deadline":1,"cgroup":null}',
    '{"deployment":"d","owner":"w","deadline":1,"cgroup":{"memory":5}}',
    '{"deployment":"d","owner":"w","deadline":1,"cgroup":{},"folders":[null]}',
  ])('that cannot be read belong to no deployment: %s', (text) => {
    writeFileSync(join(directory, 'a'), text)
    const found = new SandboxRecords(directory).all().get('a')
    expect(found).toMatchObject({ deployment: '', owner: '', cgroup: {} })
    expect(Math.abs((found?.deadline ?? 0) - Date.now())).toBeLessThan(10_000)
  })

  it('may be removed twice', () => {
    const records = new SandboxRecords(directory)
    records.remove('a')
    expect(records.all().size).toBe(0)
  })
})
