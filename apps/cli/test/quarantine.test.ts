import { expect, it } from 'vitest'
import type { Services } from '../src/services.ts'
import { cli, fakeClient, servicesWith } from './support.ts'

type Opened = Awaited<ReturnType<Services['openQuarantine']>>

/** A quarantine with these entries; packages/queue tests the real one. */
function services(entries: readonly { reason: string; id: string }[]): Services {
  const none = { malformed: 0, reserved: 0, wrong_type: 0, too_large: 0, lost: 0, structure: 0 }
  const opened = {
    entries: async () => [...entries],
    counts: async () => ({ ...none, ...(entries.length > 0 && { lost: 7, malformed: 1200 }) }),
    close: () => {},
  }
  return {
    ...servicesWith(fakeClient().client),
    openQuarantine: async () => opened as Partial<Opened> as Opened,
  }
}

it('isopod quarantine lists entries, and counts those that it no longer has', async () => {
  const options = {
    services: services([
      { reason: 'lost', id: 'j-1' },
      { reason: 'malformed', id: 'a\x1b[2J b' },
    ]),
  }
  const { stdout, stderr, exitCode } = await cli(['quarantine'], options)
  expect(stdout).toMatch(/^lost {8}j-1\nmalformed {3}a.*b\n$/)
  expect(stdout).not.toContain('\x1b')
  expect(stderr).toContain('malformed 1200, lost 7')
  expect(exitCode).toBe(0)
  const [json = ''] = (await cli(['quarantine', '--json'], options)).stdout.split('\n')
  expect(JSON.parse(json)).toEqual({ reason: 'lost', id: 'j-1' })
})

it('isopod quarantine says that there is nothing', async () => {
  const { stdout, stderr } = await cli(['quarantine'], { services: services([]) })
  expect(stdout).toBe('')
  expect(stderr).toContain('the quarantine is empty')
})
