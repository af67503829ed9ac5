import type { Ready } from '@isopod/init'
import { describe, expect, it } from 'vitest'
import { confinementProblems, limitsApplied } from '../src/limits-applied.ts'
import { limits } from './support/execution.ts'

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
  workspaceBytes: 48 * MIB,
  workspaceInodes: 6144,
  tmpBytes: 16 * MIB,
  shmBytes: 16 * MIB,
  noNewPrivileges: true,
  seccomp: 2,
  capabilities: '0000000000000000',
  uid: 65534,
  gid: 65534,
  pid: 1,
}

describe('limits read back', () => {
  it('are those that were asked for when all holds', () => {
    expect(confinementProblems(ready, limits(), nobody)).toEqual([])
    expect(limitsApplied(ready, limits())).toEqual({
      timeoutSeconds: 30,
      cpuSeconds: null,
      memoryMb: 256,
      memorySwapMb: 256,
      cpus: 0.5,
      processes: 100,
      diskMb: 64,
      outputBytes: 102_400,
      openFiles: 256,
    })
  })

  it.each<[string, Partial<Ready>]>([
    ['memoryMb', { memoryBytes: null }],
    ['memorySwapMb', { memorySwapBytes: 512 * MIB }],
    ['cpus', { cpuQuotaUs: null }],
    ['processes', { pidsMax: null }],
    ['workspaceMb', { workspaceBytes: 49 * MIB }],
    ['tmpMb', { tmpBytes: null }],
    ['shmMb', { shmBytes: 64 * MIB }],
    ['noNewPrivileges', { noNewPrivileges: false }],
    ['capabilities', { capabilities: '00000000a80425fb' }],
    ['capabilities', { capabilities: null }],
    ['seccomp', { seccomp: 0 }],
    ['uid', { uid: 0 }],
    ['pid', { pid: 7 }],
  ])('a different %s is a fault', (name, changes) => {
    const problems = confinementProblems({ ...ready, ...changes }, limits(), nobody)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name} is `))
  })
})
