import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DEFAULT_LIMITS } from '@isopod/protocol'
import { containerOptions } from '@isopod/sandbox'
import { expect, it } from 'vitest'

const page = readFileSync(fileURLToPath(new URL('../docs/security.md', import.meta.url)), 'utf8')
/** What decides which container is made, not how it is confined. */
const NO_FLAGS = ['Image', 'HostConfig']

it('the table of flags has every flag of a container, and none that is not set', () => {
  const plan = {
    limits: DEFAULT_LIMITS,
    image: 'sha256:0',
    user: { uid: 60_000, gid: 65_534 },
    initVolume: 'init',
    seccomp: '{}',
    diskReads: { device: '/dev/sda', bytesPerSecond: 1 },
    labels: {},
  }
  const names = ['runc', 'runsc'].flatMap((runtime) => {
    const { HostConfig, ...options } = containerOptions({ ...plan, runtime })
    return [...Object.keys(options), ...Object.keys(HostConfig ?? {})]
  })
  const set = [...new Set(names)].filter((name) => !NO_FLAGS.includes(name))
  const section = page.slice(page.indexOf('## Flags of a container'), page.indexOf('## Runtimes'))
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const told = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  expect(told.sort()).toEqual(set.sort())
})

it('names the events that the audit has', () => {
  const events = fileURLToPath(new URL('../apps/worker/src/audit/audit-event.ts', import.meta.url))
  const names = [...readFileSync(events, 'utf8').matchAll(/readonly event: (.+)/g)].flatMap(
    ([, union = '']) => [...union.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? ''),
  )
  expect(names.length).toBeGreaterThan(8)
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
