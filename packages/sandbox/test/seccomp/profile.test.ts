import { beforeAll, describe, expect, it } from 'vitest'
import { seccompDecisions } from '../../src/seccomp/load.ts'
import { type SeccompDecisions, seccompProfile } from '../../src/seccomp/profile.ts'

let ours: SeccompDecisions
beforeAll(async () => {
  ours = await seccompDecisions()
})

const small: SeccompDecisions = {
  allowed: [
    { name: 'all', reason: 'r', calls: ['read'] },
    { name: 'old', reason: 'r', calls: ['open'], only: ['x64'] },
  ],
  conditional: [
    {
      call: 'socket',
      reason: 'r',
      lines: [[{ argument: 0, equals: 1 }], [{ argument: 1, mask: 15, equals: 2 }]],
    },
  ],
  blocked: [
    { name: 'usual', reason: 'r', calls: ['mount'] },
    { name: 'new', reason: 'r', calls: ['clone3'], errno: 'ENOSYS' },
  ],
}

describe('a seccomp profile', () => {
  it('allows the named calls, refuses the others, and lists only refusals other than EPERM', () => {
    expect(seccompProfile(small, 'x64')).toEqual({
      defaultAction: 'SCMP_ACT_ERRNO',
      architectures: ['SCMP_ARCH_X86_64'],
      syscalls: [
        { names: ['read', 'open'], action: 'SCMP_ACT_ALLOW' },
        {
          names: ['socket'],
          action: 'SCMP_ACT_ALLOW',
          args: [{ index: 0, op: 'SCMP_CMP_EQ', value: 1 }],
        },
        {
          names: ['socket'],
          action: 'SCMP_ACT_ALLOW',
          args: [{ index: 1, op: 'SCMP_CMP_MASKED_EQ', value: 15, valueTwo: 2 }],
        },
        { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
      ],
    })
  })

  it('is for one architecture, without the calls that only another has', () => {
    const { architectures, syscalls } = seccompProfile(small, 'arm64')
    expect(architectures).toEqual(['SCMP_ARCH_AARCH64'])
    expect(syscalls[0]?.names).toEqual(['read'])
  })
})

describe('the decisions in profile.yaml', () => {
  it('cover each call once, with a reason', () => {
    const groups = [...ours.allowed, ...ours.blocked]
    const calls = [...groups.flatMap((group) => group.calls), ...ours.conditional.map(({ call }) => call)]
    expect(calls.filter((call, index) => calls.indexOf(call) !== index)).toEqual([])
    expect(calls.filter((call) => !/^[a-z0-9_]+$/.test(call))).toEqual([])
    for (const { reason } of [...groups, ...ours.conditional]) expect(reason.length).toBeGreaterThan(10)
  })

  it('compare an argument at most once per line, because runtimes treat a second comparison as an alternative', () => {
    for (const line of ours.conditional.flatMap(({ lines }) => lines)) {
      const compared = line.map(({ argument }) => argument)
      expect(new Set(compared).size).toBe(compared.length)
      for (const { argument, equals, mask = 0 } of line) {
        for (const number of [argument, equals, mask]) expect(Number.isSafeInteger(number)).toBe(true)
      }
    }
  })
})
