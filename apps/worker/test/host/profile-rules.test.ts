import { ConfigError, type Language } from '@isopod/protocol'
import { expect, it } from 'vitest'
import { PYTHON } from '../../../../test/support/python-language.ts'
import { checkPreloadProfiles, offlineProfiles } from '../../src/host/profile-rules.ts'

const profiles = new Map([
  ['default', { blocked: new Set<string>() }],
  ['timeless', { blocked: new Set(['timer_create']) }],
  ['sealed', { blocked: new Set(['connect']) }],
  ['alone', { blocked: new Set(['socketpair']) }],
])

it('a seccomp profile without a system call that connections need is offline', () => {
  expect([...offlineProfiles(profiles)]).toEqual(['sealed'])
})

it('a language with preload needs a seccomp profile that allows init’s own calls', () => {
  const preload = { files: {}, modules: [], forks: false, unless_files: [] }
  const named = (seccomp_profile: string): Language => ({ ...PYTHON, preload, seccomp_profile })
  expect(() => checkPreloadProfiles([named('default'), named('sealed')], profiles)).not.toThrow()
  expect(() => checkPreloadProfiles([named('alone')], profiles)).toThrow(
    new ConfigError('python.seccomp_profile: must allow socketpair with preload, got "alone"'),
  )
  const { preload: _, ...plain } = named('alone')
  expect(() => checkPreloadProfiles([plain], profiles)).not.toThrow()
})
