import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IMAGES } from '@isopod/devstack'
import {
  type LanguageProfile,
  loadLanguageProfiles,
  loadSeccompProfile,
  NEEDED_CALLS,
  seccompDecisions,
} from '@isopod/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { runWorkerToExit } from '../support/ended-worker.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'
import { attemptResults, attemptsProgram } from './support/attempts-program.ts'
import { ALLOWED_ATTEMPTS, NOTHING } from './support/seccomp-attempts.ts'

const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
const SHIPPED = ['compute', 'query']
const OWN = 'blocked: [{ name: n, reason: not needed, calls: [getcpu] }]\n'
const C = {
  image: IMAGES.c,
  version: '14',
  filename: 'main.c',
  compile: ['gcc', '-w', '-o', 'main', '{filename}'],
  command: ['./main'],
}
const limits = { timeoutSeconds: 60, processes: 200, cpus: 1 }

const inGvisor = RUNTIME === 'runsc'

let folder: string
let world: World
let profiles: ReadonlyMap<string, LanguageProfile>
/** A C program that makes every call that one of the profiles refuses in addition to the default profile. */
let code: string

/** Writes a catalogue of these languages, and returns its path. */
async function catalogueOf(languages: Record<string, object>): Promise<string> {
  const file = join(folder, `${Object.keys(languages).join('-')}.json`)
  await writeFile(file, JSON.stringify(languages))
  return file
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-profiles-'))
  const directory = join(folder, 'profiles')
  await mkdir(directory)
  await writeFile(join(directory, 'own.yaml'), OWN)
  const decisions = await seccompDecisions()
  const names = [...SHIPPED, 'own']
  const base = await loadSeccompProfile(undefined, architecture)
  profiles = await loadLanguageProfiles(names, { base, decisions, architecture, directory })
  const spare = [
    ...decisions.allowed.flatMap(({ calls }) => calls),
    ...decisions.conditional.map(({ call }) => call),
  ]
  const least = spare.filter((call) => !NEEDED_CALLS.has(call))
  await writeFile(
    join(directory, 'least.yaml'),
    JSON.stringify({ blocked: [{ name: 'all', reason: 'all that is possible', calls: least }] }),
  )
  const calls = new Set([...profiles.values()].flatMap(({ blocked }) => [...blocked]))
  code = attemptsProgram([...calls].map((call) => ({ call, args: ALLOWED_ATTEMPTS[call] ?? NOTHING })))
  const file = await catalogueOf({
    c: C,
    ...Object.fromEntries(names.map((name) => [name, { ...C, seccomp_profile: name }])),
    head: {
      image: IMAGES.c,
      filename: 'text',
      command: ['head', '-n1', '{filename}'],
      seccomp_profile: 'least',
    },
  })
  world = await startWorld({
    env: { SANDBOX_LANGUAGE_CONFIG_FILE: file, ISOPOD_SECCOMP_PROFILES_DIR: directory },
  })
})

afterAll(async () => {
  await world?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the attempts in a job of this language: call → outcome. */
async function attemptsOf(language: string, more: object = {}): Promise<Map<string, string>> {
  const result = await world.client.run({ language, code, limits, ...more })
  expect(result, result.errorMessage ?? result.stderr).toMatchObject({ status: 'success' })
  return attemptResults(result.stdout)
}

/** Calls that init's own filter refuses under every profile. */
const REFUSED_BY_INIT = new Set(['splice'])

// promise: language-profiles
describe('a language with a profile of its own', () => {
  beforeEach((context) => context.skip(inGvisor, 'gVisor applies no seccomp profile'))

  it.each([...SHIPPED, 'own'])('is refused each call that the profile %s blocks', async (name) => {
    const results = await attemptsOf(name)
    const blocked = [...(profiles.get(name)?.blocked ?? [])]
    expect(blocked.length).toBeGreaterThan(0)
    const answers = blocked
      .filter((call) => !REFUSED_BY_INIT.has(call))
      .map((call) => [call, results.get(call)])
    expect(answers.filter(([, answer]) => answer !== 'EPERM' && answer !== 'ENOSYS')).toEqual([])
  })

  it('is refused these calls by its profile, because under the default profile none of them is refused', async () => {
    const results = await attemptsOf('c')
    // A kernel that lacks the call answers ENOSYS, like a profile.
    const refused = [...results].filter(
      ([call, answer]) => answer === 'EPERM' || (answer === 'ENOSYS' && !NOT_EVERYWHERE.has(call)),
    )
    expect(refused).toEqual([])
  })

  it('never shares a container with another profile, neither in a batch nor from the pool', async () => {
    const one = attemptsProgram([{ call: 'inotify_init1', args: NOTHING }])
    const answers: (string | undefined)[] = []
    for (const shared of [{ reuse: 'batch', batchId: 'profiles' } as const, {}]) {
      for (const language of ['c', 'compute', 'c', 'compute']) {
        answers.push((await attemptsOf(language, { ...shared, code: one })).get('inotify_init1'))
      }
    }
    expect(answers.map((answer) => answer === 'EPERM')).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ])
  })

  it('runs a program under the strictest profile that a file can define', async () => {
    expect(await world.client.run({ language: 'head', code: 'line\nmore\n' })).toMatchObject({
      status: 'success',
      stdout: 'line\n',
    })
  })
})

/** Calls that older kernels and some processors lack. */
const NOT_EVERYWHERE = new Set([
  'futex_waitv',
  'pkey_alloc',
  'pkey_free',
  'pkey_mprotect',
  'landlock_create_ruleset',
])

// promise: language-profiles
it.each([
  ['that does not exist', 'nowhere', undefined, 'there is no profile "nowhere"'],
  [
    'that allows a call',
    'lax',
    'allowed: [{ name: n, reason: r, calls: [mount] }]',
    'never less, got "allowed"',
  ],
])('a profile %s stops the worker', async (_what, name, content, words) => {
  const { dockerHost, redisUrl } = inject('stack')
  const directory = join(folder, name)
  await mkdir(directory)
  if (content !== undefined) await writeFile(join(directory, `${name}.yaml`), content)
  const { code: exit, output } = await runWorkerToExit({
    REDIS_URL: redisUrl,
    DOCKER_HOST: dockerHost,
    SANDBOX_LANGUAGE_CONFIG_FILE: await catalogueOf({ [name]: { ...C, seccomp_profile: name } }),
    ISOPOD_SECCOMP_PROFILES_DIR: directory,
  })
  expect(exit).toBe(1)
  expect(output).toContain(words)
  expect(output.trim().split('\n')).toHaveLength(1)
})
