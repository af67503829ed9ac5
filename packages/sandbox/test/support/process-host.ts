import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { groupOf } from '../../../../test/support/host/control-group.ts'
import { processRoots } from '../../../../test/support/process-roots.ts'
import type { Driver } from '../../src/driver/driver.ts'
import type { SandboxEvent } from '../../src/driver/sandbox-events.ts'
import { openProcessDriver } from '../../src/process/open-process-driver.ts'

/** Whether this user may make cgroups, and give each program a user of its own. */
export const isRoot = process.getuid?.() === 0

/**
 * Opens process drivers with a state directory of their own, for the tests of one file or `describe`. At its end no sandbox,
 * record or cgroup may be left.
 */
export function processHost(): (owner: string, observe?: (event: SandboxEvent) => void) => Promise<Driver> {
  const made = new Set<string>()
  let state = ''
  let roots = ''

  beforeAll(async () => {
    roots = await processRoots()
    state = await mkdtemp('/run/isopod-spec-')
  })

  afterAll(async () => {
    // Sockets of spawners belong to drivers, which are closed by now.
    const records = (await readdir(`${state}/records`)).filter((name) => !name.endsWith('.sock'))
    await rm(state, { recursive: true, force: true })
    expect(records).toEqual([])
    expect([...made].filter((id) => groupOf(id) !== undefined)).toEqual([])
    expect(existsSync(state)).toBe(false)
  })

  return (owner, observe = () => {}) =>
    openProcessDriver({
      ...{ roots, state, owner, deployment: `contract-${process.pid}` },
      users: { first: 60_000, last: 60_255, gid: 65_534 },
      reaperGraceMs: 0,
      observe: (event) => {
        if (event.type === 'container_created') made.add(event.container)
        observe(event)
      },
    })
}
