import { existsSync, readFileSync } from 'node:fs'
import type { Architecture } from '@isopod/init'
import { ConfigError } from '@isopod/protocol'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { callNumbers, compileProfile } from '../../src/seccomp/compile-profile.ts'
import { loadLanguageProfiles } from '../../src/seccomp/language-profiles.ts'
import { loadSeccompProfile, seccompDecisions } from '../../src/seccomp/load.ts'
import { type SeccompDecisions, seccompProfile } from '../../src/seccomp/profile.ts'
import { AUDIT_ARCH, runFilter } from '../support/bpf.ts'

const ARCHITECTURES = ['x64', 'arm64'] as const
const ALLOWED = 0x7fff_0000
const KILLED = 0x8000_0000
const refused = (errno: number) => 0x0005_0000 + errno
const X32 = 0x4000_0000
const HEADER = '/usr/include/x86_64-linux-gnu/asm/unistd_64.h'

type Numbers = Readonly<Record<string, number>>
let decisions: SeccompDecisions
let numbers: Readonly<Record<Architecture, Numbers>>
beforeAll(async () => {
  decisions = await seccompDecisions()
  numbers = { x64: await callNumbers('x64'), arm64: await callNumbers('arm64') }
})

/** What profile.yaml itself says about a call, without the compiler and without the engine's format. */
function decided(architecture: Architecture, number: number, args: readonly bigint[]): number {
  const own = numbers[architecture]
  const isMeant = (call: string) => own[call] === number
  const applies = ({ only, calls }: { only?: readonly Architecture[]; calls: readonly string[] }) =>
    (only ?? ARCHITECTURES).includes(architecture) && calls.some(isMeant)
  if (decisions.allowed.some(applies)) return ALLOWED
  for (const { lines } of decisions.conditional.filter(({ call }) => isMeant(call))) {
    const holds = lines.some((line) =>
      line.every(({ argument, mask, equals }) => {
        const value = args[argument] ?? 0n
        return (mask === undefined ? value : value & BigInt(mask)) === BigInt(equals)
      }),
    )
    if (holds) return ALLOWED
  }
  return decisions.blocked.some((group) => group.errno === 'ENOSYS' && applies(group))
    ? refused(38)
    : refused(1)
}

const ours = (architecture: Architecture) =>
  compileProfile(JSON.stringify(seccompProfile(decisions, architecture)), architecture, numbers[architecture])

describe.each(ARCHITECTURES)('our profile, compiled for %s', (architecture) => {
  const audit = AUDIT_ARCH[architecture]

  it('decides on each call as profile.yaml does', () => {
    const program = ours(architecture)
    const verdicts = (decide: (number: number) => number) =>
      Array.from({ length: 601 }, (_, number) => `${number}: ${decide(number).toString(16)}`)
    const args = [2n ** 64n - 1n, 2n ** 64n - 1n, 2n ** 64n - 1n]
    expect(verdicts((number) => runFilter(program, { audit, number, args }))).toEqual(
      verdicts((number) => decided(architecture, number, args)),
    )
  })

  it('decides on arguments around each condition as profile.yaml does', () => {
    const program = ours(architecture)
    const conditional = decisions.conditional.flatMap(({ call }) => numbers[architecture][call] ?? [])
    expect(conditional.length).toBe(decisions.conditional.length)
    const edges = decisions.conditional.flatMap(({ lines }) =>
      lines.flat().flatMap(({ equals, mask = 0 }) => [BigInt(equals), BigInt(mask), BigInt(equals | mask)]),
    )
    const bit = fc.oneof(
      fc.constant(0n),
      fc.bigInt({ min: 0n, max: 63n }).map((shift) => 1n << shift),
    )
    const near = fc.tuple(fc.constantFrom(...new Set(edges)), bit).map(([edge, flipped]) => edge ^ flipped)
    const arg = fc.oneof({ arbitrary: near, weight: 9 }, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
    fc.assert(
      fc.property(fc.constantFrom(...conditional), fc.tuple(arg, arg, arg), (number, args) => {
        expect(runFilter(program, { audit, number, args })).toBe(decided(architecture, number, args))
      }),
      { numRuns: 5000 },
    )
  })

  it('allows each of its lines, and none with a bit in the upper half', () => {
    const program = ours(architecture)
    for (const { call, lines } of decisions.conditional) {
      for (const line of lines) {
        const args = [0n, 0n, 0n]
        for (const { argument, equals } of line) args[argument] = BigInt(equals)
        const number = numbers[architecture][call] ?? -1
        expect(runFilter(program, { audit, number, args })).toBe(ALLOWED)
        for (const { argument } of line.filter(({ mask }) => mask === undefined)) {
          const above = args.with(argument, (args[argument] ?? 0n) + (1n << 32n))
          expect(runFilter(program, { audit, number, args: above })).toBe(refused(1))
        }
      }
    }
  })

  it('ends the process after a call through any other ABI', () => {
    const program = ours(architecture)
    const others = Object.values(AUDIT_ARCH).filter((other) => other !== audit)
    for (const other of others) {
      expect(runFilter(program, { audit: other, number: numbers[architecture]['read'] ?? -1 })).toBe(KILLED)
    }
  })

  it('has a number for every call of profile.yaml', () => {
    const groups = [...decisions.allowed, ...decisions.blocked]
      .filter(({ only }) => only?.includes(architecture) ?? true)
      .flatMap(({ calls }) => calls)
    const calls = [...groups, ...decisions.conditional.map(({ call }) => call)]
    expect(calls.filter((call) => numbers[architecture][call] === undefined)).toEqual([])
    expect(new Set(Object.values(numbers[architecture])).size).toBe(Object.keys(numbers[architecture]).length)
  })

  it('refuses ever more with the profiles that languages name', async () => {
    const base = await loadSeccompProfile(undefined, architecture)
    const profiles = await loadLanguageProfiles(['compute', 'query'], { base, decisions, architecture })
    const allowed = [...profiles.values()].map(({ json }) => {
      const program = compileProfile(json, architecture, numbers[architecture])
      return Array.from({ length: 601 }, (_, number) => number).filter(
        (number) => runFilter(program, { audit, number }) === ALLOWED,
      )
    })
    const [first = [], second = [], third = []] = allowed
    expect(second.filter((number) => !first.includes(number))).toEqual([])
    expect(third.filter((number) => !second.includes(number))).toEqual([])
    expect(third.length).toBeLessThan(second.length)
    expect(second.length).toBeLessThan(first.length)
  })
})

describe('a compiled profile', () => {
  const compile = (profile: object) => compileProfile(JSON.stringify(profile), 'x64', numbers.x64)
  const verdict = (program: Uint8Array, call: string, ...args: bigint[]) =>
    runFilter(program, { audit: AUDIT_ARCH.x64, number: numbers.x64[call] ?? -1, args })

  it('ends the process after a call of x32, also where it allows what no rule refuses', () => {
    const open = compile({
      defaultAction: 'SCMP_ACT_ALLOW',
      syscalls: [{ names: ['mount'], action: 'SCMP_ACT_ERRNO' }],
    })
    for (const program of [ours('x64'), open]) {
      for (const number of [39, numbers.x64['mount'] ?? -1, 521]) {
        expect(runFilter(program, { audit: AUDIT_ARCH.x64, number: X32 + number })).toBe(KILLED)
      }
    }
    expect(runFilter(open, { audit: AUDIT_ARCH.x64, number: 0xffff_ffff })).toBe(ALLOWED)
    expect(verdict(open, 'mount')).toBe(refused(1))
  })

  it('has the errno of each rule, and of its default', () => {
    const program = compile({
      defaultAction: 'SCMP_ACT_ERRNO',
      defaultErrnoRet: 13,
      syscalls: [
        { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
        { names: ['mount'], action: 'SCMP_ACT_KILL_PROCESS' },
        { names: ['unshare'], action: 'SCMP_ACT_ERRNO' },
      ],
    })
    const calls = ['clone3', 'mount', 'unshare', 'read']
    expect(calls.map((call) => verdict(program, call))).toEqual([
      refused(38),
      KILLED,
      refused(1),
      refused(13),
    ])
  })

  it.each([
    ['before', (one: object, all: object) => [all, one]],
    ['after', (one: object, all: object) => [one, all]],
  ])('refuses a call whose rule without conditions comes %s one that allows it', (_, order) => {
    const args = [{ index: 0, op: 'SCMP_CMP_EQ', value: 1 }]
    const rules = order(
      { names: ['socket'], action: 'SCMP_ACT_ALLOW', args },
      { names: ['socket'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    )
    const program = compile({ defaultAction: 'SCMP_ACT_KILL_PROCESS', syscalls: rules })
    expect(verdict(program, 'socket', 1n)).toBe(refused(38))
  })

  it('ignores calls that the architecture does not have', () => {
    const program = compile({
      defaultAction: 'SCMP_ACT_ERRNO',
      syscalls: [{ names: ['no_such_call', 'read'], action: 'SCMP_ACT_ALLOW', comment: 'why' }],
    })
    expect(verdict(program, 'read')).toBe(ALLOWED)
  })

  const rule = (changes: object) => ({
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [{ names: ['read'], action: 'SCMP_ACT_ALLOW', ...changes }],
  })
  it.each([
    [rule({ includes: { caps: ['CAP_SYS_ADMIN'] } }), /SECCOMP_PROFILE: syscalls\.0: .*"includes"/],
    [rule({ excludes: {} }), /syscalls\.0: .*"excludes"/],
    [rule({ action: 'SCMP_ACT_TRACE' }), /syscalls\.0\.action: /],
    [rule({ errnoRet: 4096 }), /syscalls\.0\.errnoRet: /],
    [rule({ args: [{ index: 0, op: 'SCMP_CMP_NE', value: 1 }] }), /syscalls\.0\.args\.0\.op: /],
    [rule({ args: [{ index: 6, op: 'SCMP_CMP_EQ', value: 1 }] }), /syscalls\.0\.args\.0\.index: /],
    [rule({ args: [{ index: 0, op: 'SCMP_CMP_EQ', value: -1 }] }), /syscalls\.0\.args\.0\.value: /],
    // Such a number has lost its last bits already.
    [rule({ args: [{ index: 0, op: 'SCMP_CMP_EQ', value: 2 ** 60 }] }), /syscalls\.0\.args\.0\.value: /],
    [{ ...rule({}), defaultAction: 'SCMP_ACT_LOG' }, /SECCOMP_PROFILE: defaultAction: /],
    [{ ...rule({}), archMap: [] }, /SECCOMP_PROFILE: Unrecognized key: "archMap"/],
  ])('is refused with the name of the field that only an engine understands: %j', (profile, reason) => {
    expect(() => compile(profile)).toThrow(ConfigError)
    expect(() => compile(profile)).toThrow(reason)
  })
})

describe('the numbers of calls', () => {
  it('are those of the kernel’s headers', (context) => {
    context.skip(!existsSync(HEADER), `there is no ${HEADER} here`)
    const defined = [...readFileSync(HEADER, 'utf8').matchAll(/^#define __NR_(\w+) (\d+)$/gm)]
    const header = new Map(defined.map(([, name = '', number]) => [name, Number(number)]))
    expect(header.size).toBeGreaterThan(300)
    // Headers of an older kernel lack the newest calls, and those of a newer one have more.
    const common = Object.entries(numbers.x64).filter(([name]) => header.has(name))
    expect(common.length).toBeGreaterThan(300)
    expect(common.filter(([name, number]) => header.get(name) !== number)).toEqual([])
    const highest = Math.max(...header.values())
    expect(
      Object.entries(numbers.x64).filter(([name, number]) => number <= highest && !header.has(name)),
    ).toEqual([])
    const known = Math.max(...Object.values(numbers.x64))
    const missing = [...header].filter(([name, number]) => number <= known && !(name in numbers.x64))
    expect(missing).toEqual([])
  })
})
