import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DEFAULT_LIMITS } from '@isopod/protocol'
import { containerOptions } from '@isopod/sandbox'
import { expect, it } from 'vitest'

function page(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), 'utf8')
}

/** Options that do not confine a container: its image, and the group of the other options. */
const NO_FLAGS = ['Image', 'HostConfig']

it('the table of flags lists exactly the flags that a container has', () => {
  const plan = {
    limits: DEFAULT_LIMITS,
    image: 'sha256:0',
    user: { uid: 60_000, gid: 65_534 },
    opens: [],
    initVolume: 'init',
    seccomp: '{}',
    diskReads: { device: '/dev/sda', bytesPerSecond: 1 },
    labels: {},
  }
  const names = ['runc', 'runsc'].flatMap((runtime) => {
    const { HostConfig, ...options } = containerOptions({ ...plan, runtime })
    return [...Object.keys(options), ...Object.keys(HostConfig ?? {})]
  })
  const flags = [...new Set(names)].filter((name) => !NO_FLAGS.includes(name))
  const text = page('security.md')
  const section = text.slice(text.indexOf('## Flags of a container'), text.indexOf('## System calls'))
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  expect(listed.sort()).toEqual(flags.sort())
})

it('the page about the audit log documents each event', () => {
  const events = fileURLToPath(new URL('../apps/worker/src/audit/audit-event.ts', import.meta.url))
  const names = [...readFileSync(events, 'utf8').matchAll(/readonly event: (.+)/g)].flatMap(
    ([, union = '']) => [...union.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? ''),
  )
  expect(names.length).toBeGreaterThan(8)
  expect(names.filter((name) => !page('audit.md').includes(`\`${name}\``))).toEqual([])
})
