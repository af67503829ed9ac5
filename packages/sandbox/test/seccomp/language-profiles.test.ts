import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadLanguageProfiles } from '../../src/seccomp/language-profiles.ts'
import { loadSeccompProfile, seccompDecisions } from '../../src/seccomp/load.ts'
import type { SeccompDecisions, SeccompProfile } from '../../src/seccomp/profile.ts'

let directory: string
let base: string
let decisions: SeccompDecisions

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-profiles-'))
  base = await loadSeccompProfile(undefined, 'x64')
  decisions = await seccompDecisions()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const load = (names: string[], changes: { base?: string; directory?: string } = {}) =>
  loadLanguageProfiles(names, { base, decisions, architecture: 'x64', ...changes })

/** Loads a profile file of the operator with this content as the profile `own`. */
async function own(content: string, changes: { base?: string } = {}) {
  await writeFile(join(directory, 'own.yaml'), content)
  const profiles = await load(['own'], { directory, ...changes })
  return profiles.get('own')
}

function callsOf({ syscalls }: SeccompProfile, action: string): string[] {
  return syscalls.filter((rule) => rule.action === action).flatMap(({ names }) => names)
}

const group = (calls: string, more = '') =>
  `blocked: [{ name: n, reason: a reason, calls: [${calls}]${more} }]`

describe('the profiles of languages', () => {
  it('include the deployment’s default unchanged', async () => {
    const profiles = await load([])
    expect([...profiles.keys()]).toEqual(['default'])
    expect(profiles.get('default')?.json).toBe(base)
  })

  it('refuse ever more calls from default over compute to query', async () => {
    const profiles = await load(['query', 'compute', 'default'])
    const [first, ...stricter] = ['default', 'compute', 'query'].map((name) => {
      const json = profiles.get(name)?.json ?? ''
      return new Set(callsOf(JSON.parse(json), 'SCMP_ACT_ALLOW'))
    })
    let wider = first ?? new Set()
    for (const calls of stricter) {
      expect([...calls].filter((call) => !wider.has(call))).toEqual([])
      expect(calls.size).toBeLessThan(wider.size)
      wider = calls
    }
    expect(new Set([...profiles.values()].map(({ digest }) => digest)).size).toBe(3)
  })

  it('remove every rule of a blocked call, also conditional ones, and answer with the given errno', async () => {
    const profile = await own(group('socket, splice', ', errno: ENOSYS'))
    const made = JSON.parse(profile?.json ?? '') as SeccompProfile
    const rules = made.syscalls.filter(({ names }) => names.includes('socket') || names.includes('splice'))
    expect(rules).toEqual([{ names: ['socket', 'splice'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 }])
    expect([...(profile?.blocked ?? [])]).toEqual(['socket', 'splice'])
  })

  it('extend the operator’s own default, too', async () => {
    const open =
      '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mount"],"action":"SCMP_ACT_KILL"}]}'
    expect(JSON.parse((await own(group('socket'), { base: open }))?.json ?? '')).toEqual({
      defaultAction: 'SCMP_ACT_ALLOW',
      syscalls: [
        { names: ['mount'], action: 'SCMP_ACT_KILL' },
        { names: ['socket'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
      ],
    })
    const old = '{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"name":"socket","action":"SCMP_ACT_ALLOW"}]}'
    expect(JSON.parse((await own(group('socket'), { base: old }))?.json ?? '').syscalls).toEqual([])
  })

  it('ignore calls of another architecture', async () => {
    expect((await own(group('inotify_init', ', only: [arm64]')))?.blocked.size).toBe(0)
  })

  it('are read from the operator’s directory first; its files may extend the built-in profiles', async () => {
    await writeFile(join(directory, 'compute.yaml'), group('getcpu'))
    const ours = (await load(['compute'])).get('compute')
    const theirs = (await load(['compute'], { directory })).get('compute')
    expect([ours?.blocked.has('getcpu'), theirs?.blocked.has('getcpu')]).toEqual([false, true])
    await rm(join(directory, 'compute.yaml'))
    const longer = await own(`extends: compute\n${group('getcpu')}`)
    expect(longer?.blocked.size).toBe((ours?.blocked.size ?? 0) + 1)
  })

  it.each([
    ['allowed: [{ name: n, reason: r, calls: [mount] }]', /never less, got "allowed"$/],
    [`conditional: []\n${group('socket')}`, /never less, got "conditional"$/],
    ['[]', /own\.yaml: must be an object with extends and blocked, got \[\]$/],
    ['a: [', /own\.yaml: must be YAML: /],
    ['extends: default', /blocked: must be a list of groups, got none$/],
    ['blocked: [socket]', /blocked\[0\]: must be an object with name, reason and calls, got "socket"$/],
    ['blocked: [{ name: n, calls: [socket] }]', /blocked\[0\]\.reason: must be text, got none$/],
    [group('sokcet'), /blocked\[0\]\.calls: must be calls that profile\.yaml decides on, got "sokcet"$/],
    [group('socket', ', errno: EIO'), /blocked\[0\]\.errno: must be EPERM or ENOSYS, got "EIO"$/],
    [group('socket', ', only: [mips]'), /blocked\[0\]\.only: must be a list of x64, arm64, got /],
    [
      group('socket', ', call: read'),
      /blocked\[0\]: must have name, reason, calls, errno and only, got "call"$/,
    ],
    [
      group('execve'),
      /calls: must not have calls that the runtime and init need to start a program, got "execve"$/,
    ],
    [`extends: ../own\n${group('socket')}`, /extends: must be the name of a profile, got "..\/own"$/],
    [`extends: own\n${group('socket')}`, /extends: must lead to default, got own → own$/],
    [`extends: nobody\n${group('socket')}`, /there is no profile "nobody": no \/.*, no \/.*nobody\.yaml$/],
  ])('are refused if the file contains %s', async (content, reason) => {
    const loading = own(content)
    await expect(loading).rejects.toThrow(ConfigError)
    await expect(loading).rejects.toThrow(reason)
  })

  it('are refused if a file of the operator’s directory would be ignored', async () => {
    const gone = join(directory, 'gone')
    await expect(load(['compute'], { directory: gone })).rejects.toThrow(
      /ISOPOD_SECCOMP_PROFILES_DIR: .*gone cannot be read/,
    )
    for (const [name, problem] of [
      ['default.yaml', /default\.yaml: .*ISOPOD_SECCOMP_PROFILE/],
      ['compute.yml', /compute\.yml: must end in \.yaml/],
      ['Query.YAML', /Query\.YAML: must end in \.yaml/],
    ] as const) {
      const own = await mkdtemp(join(directory, 'own-'))
      await writeFile(join(own, name), group('getcpu'))
      await expect(load(['compute'], { directory: own })).rejects.toThrow(problem)
    }
  })

  it('are refused with an empty list of architectures', async () => {
    await expect(own(group('getcpu', ', only: []'))).rejects.toThrow(ConfigError)
  })
})
