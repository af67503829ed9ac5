import { expect, it } from 'vitest'
import { type GuestTask, readTask, writeTask } from '../protocol.ts'
import { Totals } from '../totals.ts'

it('a task can be decoded from the kernel’s command line', () => {
  const task: GuestTask = {
    leg: 'limits',
    specs: ['test/a.test.ts'],
    only: 'a "b" c|d é',
    images: ['c'],
    timeFactor: 8,
  }
  const word = writeTask(task)
  expect(word).not.toMatch(/[\s"]/)
  expect(readTask(`root=/dev/vda rw ${word} quiet\n`)).toEqual(task)
})

it('a kernel’s command line without a task is refused', () => {
  expect(() => readTask('root=/dev/vda quiet')).toThrow(/isopod\.task/)
})

it('the totals have the form of those of npm test', () => {
  const totals = new Totals()
  for (const state of ['passed', 'passed', 'failed', 'skipped'] as const) totals.add({ state })
  expect([String(totals), totals.failed]).toEqual(['2 passed, 1 failed, 1 skipped', 1])
})
