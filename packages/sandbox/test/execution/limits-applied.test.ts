import type { Ready } from '@isopod/init'
import { describe, expect, it } from 'vitest'
import { confinementProblems, limitsApplied } from '../../src/execution/limits-applied.ts'
import { limits } from '../support/execution.ts'

const MIB = 1024 * 1024
const nobody = { uid: 65534, gid: 65534 }
const ready: Ready = {
  version: 1,
  cgroup: 1,
  memoryBytes: 256 * MIB,
  memorySwapBytes: 256 * MIB,
  cpuQuotaUs: 50_000,
  cpuPeriodUs: 100_000,
  pidsMax: 101,
  memoryTotalBytes: 16 * 1024 * MIB,
  processLimit: null,
  workspaceBytes: 48 * MIB,
  workspaceInodes: 6144,
  tmpBytes: 16 * MIB,
  shmBytes: 16 * MIB,
  noNewPrivileges: true,
  seccomp: 2,
  seccompFilters: 1,
  capabilities: '0000000000000000',
  uid: 65534,
  gid: 65534,
  pid: 1,
}

it('the limits applied name the factor that the timeout includes, unless it is 1', () => {
  const asked = limits({ timeoutSeconds: 3 })
  const java = { timeoutSeconds: 3, timeoutFactor: 1.5 }
  expect(limitsApplied(ready, asked, undefined, { timeout_factor: 1.5 })).toMatchObject(java)
  expect(limitsApplied(ready, asked, undefined, { timeout_factor: 1 })).not.toHaveProperty('timeoutFactor')
})

/** At least one deviating reading for each check. */
const DEVIATIONS: readonly [string, Partial<Ready>][] = [
  ['memoryMb', { memoryBytes: null }],
  ['memorySwapMb', { memorySwapBytes: 512 * MIB }],
  ['memorySwapMb', { memorySwapBytes: 0 }],
  ['cpus', { cpuQuotaUs: null }],
  ['processes', { pidsMax: null }],
  ['workspaceMb', { workspaceBytes: 49 * MIB }],
  ['tmpMb', { tmpBytes: null }],
  ['shmMb', { shmBytes: 64 * MIB }],
  ['noNewPrivileges', { noNewPrivileges: false }],
  ['capabilities', { capabilities: '00000000a80425fb' }],
  ['capabilities', { capabilities: null }],
  ['seccomp', { seccomp: 0 }],
  ['seccompFilters', { seccompFilters: 0 }],
  ['pid', { pid: 7 }],
  ['uid', { uid: 0 }],
  ['gid', { gid: 0 }],
]

describe('limits read back', () => {
  it('match the requested limits', () => {
    expect(confinementProblems(ready, limits(), nobody)).toEqual([])
    const { onOverflow: _, ...asked } = limits()
    expect(limitsApplied(ready, limits())).toEqual({ ...asked, memorySwapMb: 256 })
  })

  it.each(DEVIATIONS)('a different %s is a fault', (name, changes) => {
    const problems = confinementProblems({ ...ready, ...changes }, limits(), nobody)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name} is `))
  })

  it('have at least one of the deviations for each check', () => {
    const everything = Object.assign({}, ready, ...DEVIATIONS.map(([, changes]) => changes))
    const checks = confinementProblems(everything, limits(), nobody).map(
      (problem) => problem.split(' ', 1)[0],
    )
    expect(checks).toEqual([...new Set(DEVIATIONS.map(([name]) => name))])
  })

  it.each([1, 2, 3, null])('accept %s seccomp filters around init', (seccompFilters) => {
    expect(confinementProblems({ ...ready, seccompFilters }, limits(), nobody)).toEqual([])
  })
})

describe('limits read back under gVisor', () => {
  const inside: Ready = {
    ...ready,
    memoryBytes: null,
    memorySwapBytes: null,
    cpuQuotaUs: null,
    pidsMax: null,
    memoryTotalBytes: 256 * MIB,
    processLimit: 101,
    seccomp: 0,
  }
  const outside = { cpus: 0.5, memorySwapMb: 256, tasks: 660, source: 'kernel' } as const

  it('come from gVisor, or from the host where gVisor hides them, as the result says', () => {
    expect(confinementProblems(inside, limits(), nobody, outside)).toEqual([])
    expect(limitsApplied(inside, limits(), outside)).toMatchObject({
      memoryMb: 256,
      processes: 100,
      cpus: 0.5,
      outside: { limits: ['cpus', 'memorySwapMb'], source: 'kernel' },
    })
  })

  it('are not accepted under another runtime', () => {
    expect(confinementProblems(inside, limits(), nobody)).toHaveLength(4)
  })

  it.each<[string, Partial<Ready>, Partial<typeof outside>]>([
    ['memoryMb', { memoryTotalBytes: 512 * MIB }, {}],
    ['processes', { processLimit: null }, {}],
    ['cpus', {}, { cpus: 0 as 0.5 }],
    ['memorySwapMb', {}, { memorySwapMb: 512 as 256 }],
    ['hostTasks', {}, { tasks: 0 as 660 }],
    ['noNewPrivileges', { noNewPrivileges: null }, {}],
    ['capabilities', { capabilities: null }, {}],
  ])('a different %s is a fault', (name, changes, others) => {
    const problems = confinementProblems({ ...inside, ...changes }, limits(), nobody, {
      ...outside,
      ...others,
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name} is `))
  })
})
