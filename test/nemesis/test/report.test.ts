import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type ChaosReport, chaosMarkdown, chaosText } from '../report/table.ts'
import { writeChaosPage } from '../report/write-page.ts'

const REPORT: ChaosReport = {
  seed: 7,
  jobsPerFault: 200,
  date: '2030-01-02',
  outcomes: [
    {
      ...{ fault: 'redis-killed', title: 'SIGKILL to Redis', jobs: 205, recoverySeconds: 1.25 },
      ...{ lost: ['a has no result'], doubled: [], wrong: [], left: ['key jobs:a'], repeated: 0 },
    },
  ],
  notMade: [{ fault: 'other', reason: 'no engine' }],
}

it('the table has a row for each fault, and names those that could not be made', () => {
  expect(chaosMarkdown(REPORT)).toContain(
    '| `redis-killed` | SIGKILL to Redis | 205 | 1 | 0 | 0 | 1 | 1.3 s |',
  )
  expect(chaosMarkdown(REPORT)).toContain('- `other` could not be made: no engine')
})

it('the text shows each finding', () => {
  for (const part of ['✗ redis-killed', 'a has no result', 'key jobs:a', 'seed 7']) {
    expect(chaosText(REPORT)).toContain(part)
  }
})

it('the page keeps what is outside of the markers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-chaos-page-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const page = join(folder, 'chaos.md')
  await writeChaosPage(page, 'first')
  await writeFile(page, `${await readFile(page, 'utf8')}\nbelow\n`)
  await writeChaosPage(page, 'second')
  const text = await readFile(page, 'utf8')
  expect(text).toContain('second')
  expect(text).toContain('below')
  expect(text).not.toContain('first')
  await writeFile(page, 'no markers')
  await expect(writeChaosPage(page, 'third')).rejects.toThrow('must have the lines')
})
