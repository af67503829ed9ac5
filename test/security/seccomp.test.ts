import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { IMAGES } from '@isopod/devstack'
import { type SeccompDecisions, seccompDecisions, seccompProfile } from '@isopod/sandbox'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { docker } from '../support/engine.ts'
import { EXPECTED, RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'
import { attemptResults, attemptsProgram } from './support/attempts-program.ts'
import {
  ALLOWED_ARGUMENTS,
  type Attempt,
  attemptName,
  BLOCKED_ATTEMPTS,
  INIT_ALLOWED_ATTEMPTS,
  INIT_REFUSED_ATTEMPTS,
  REFUSED_ARGUMENTS,
} from './support/seccomp-attempts.ts'

const { dockerHost } = inject('stack')
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
/**
 * Capabilities that the blocked calls need, so that a refusal can only come from the profile. The list leaves out the others,
 * because an engine may lack them.
 */
const CAPABILITIES = [
  ...['DAC_READ_SEARCH', 'NET_ADMIN', 'NET_RAW', 'SETGID', 'SYSLOG', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_CHROOT'],
  ...['SYS_MODULE', 'SYS_NICE', 'SYS_PACCT', 'SYS_PTRACE', 'SYS_RAWIO', 'SYS_TIME', 'SYS_TTY_CONFIG'],
]
/** The profile ends a program with this signal if it uses the call numbers of another architecture. */
const SIGSYS = 'signal 31'
const SIGSEGV = 'signal 11'

let decisions: SeccompDecisions
let folder: string
/** Name of each attempt that must fail → its errno according to the decisions of the profile. */
let promised: Map<string, string>
/** The same for a job, where init's own filter refuses some calls with another errno. */
let promisedInJob: Map<string, string>
let code: string
let codeOfJob: string

beforeAll(async () => {
  decisions = await seccompDecisions()
  folder = await mkdtemp(join(tmpdir(), 'isopod-seccomp-'))
  await writeFile(join(folder, 'profile.json'), JSON.stringify(seccompProfile(decisions, architecture)))
  const blocked = decisions.blocked
    .filter(({ only }) => only?.includes(architecture) ?? true)
    .flatMap(({ calls, errno = 'EPERM' }) => calls.map((call) => ({ call, errno })))
  promised = new Map([
    ...blocked.map(({ call, errno }) => [call, errno] as const),
    ...REFUSED_ARGUMENTS.map((attempt) => [attemptName(attempt), 'EPERM'] as const),
  ])
  const attempts = blocked.map(({ call }): Attempt => ({ call, args: BLOCKED_ATTEMPTS[call] ?? '' }))
  promisedInJob = new Map(promised)
  for (const attempt of [...REFUSED_ARGUMENTS, ...INIT_REFUSED_ATTEMPTS]) {
    if (attempt.inJob !== undefined) promisedInJob.set(attemptName(attempt), attempt.inJob)
  }
  const tried = [...attempts, ...REFUSED_ARGUMENTS, ...ALLOWED_ARGUMENTS]
  code = attemptsProgram(tried)
  codeOfJob = attemptsProgram([...tried, ...INIT_REFUSED_ATTEMPTS, ...INIT_ALLOWED_ATTEMPTS])
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/**
 * Compiles and runs the attempts as root with capabilities, so that each refusal comes from the profile.
 *
 * @param profile path of a profile, or `unconfined`
 */
async function attemptAll(profile: string): Promise<Map<string, string>> {
  const script = 'cat > /tmp/a.c && gcc -w -o /tmp/a /tmp/a.c && /tmp/a'
  const child = spawn(
    'docker',
    [
      ...['run', '--rm', '--interactive', '--network', 'none', '--user', '0:0'],
      ...CAPABILITIES.flatMap((name) => ['--cap-add', name]),
      // Otherwise the runtime applies the profile before it changes the user, and the profile blocks calls that this needs.
      ...['--security-opt', 'no-new-privileges'],
      ...['--security-opt', `seccomp=${profile}`, IMAGES.c, 'sh', '-c', script],
    ],
    { env: { ...process.env, DOCKER_HOST: dockerHost } },
  )
  child.stdin.end(code)
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(complaint).toBe('')
  return attemptResults(output)
}

function only(results: ReadonlyMap<string, string>, names: Iterable<string>): Record<string, unknown> {
  return Object.fromEntries([...names].map((name) => [name, results.get(name)]))
}

it('each blocked call has an attempt, and each conditional call has one with allowed and one with refused arguments', () => {
  const blocked = decisions.blocked.flatMap(({ calls }) => calls)
  expect(Object.keys(BLOCKED_ATTEMPTS).sort()).toEqual([...blocked].sort())
  const conditional = decisions.conditional.map(({ call }) => call).sort()
  for (const attempts of [REFUSED_ARGUMENTS, ALLOWED_ARGUMENTS]) {
    expect([...new Set(attempts.map(({ call }) => call))].sort()).toEqual(conditional)
  }
})

// promise: seccomp
describe('in a container with only the seccomp profile', () => {
  let results: Map<string, string>
  beforeAll(async () => {
    results = await attemptAll(join(folder, 'profile.json'))
  })

  it('blocked calls, and conditional calls with disallowed arguments, are refused with the errno of the profile', () => {
    expect(only(results, promised.keys())).toEqual(Object.fromEntries(promised))
  })

  it('conditional calls with allowed arguments succeed', () => {
    for (const attempt of ALLOWED_ARGUMENTS)
      expect(results.get(attemptName(attempt)), attemptName(attempt)).toBe('ok')
  })

  it('calls with the numbers of i386 and x32 end the program', async (context) => {
    context.skip(architecture !== 'x64', 'only x86-64 has these calls')

    const names = ['i386 getpid', 'i386 socketcall', 'x32 getpid', 'x32 ptrace']
    const without = await attemptAll('unconfined')
    // A kernel without the calls of i386 ends the program by itself, before any filter.
    const ends = names.map((name) => [name, without.get(name) === SIGSEGV ? SIGSEGV : SIGSYS])
    expect(only(results, names)).toEqual(Object.fromEntries(ends))
  })
})

it('each refusal comes from the profile, because without one the kernel answers otherwise', async (context) => {
  const options = await docker(dockerHost, 'info', '--format', '{{join .SecurityOptions " "}}')
  if (/rootless|userns/.test(options)) {
    context.skip('the engine maps users, so root in a container has no privilege that the call needs')
  }
  const results = await attemptAll('unconfined')
  // A kernel that lacks a call also answers ENOSYS, so ENOSYS proves something only for clone3, which current kernels have.
  const expected = [...promised].filter(([name, errno]) => errno === 'EPERM' || name === 'clone3')
  expect(expected.filter(([name, errno]) => results.get(name) === errno)).toEqual([])
})

// promise: seccomp
describe('in a job', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world?.close())

  it('blocked calls, and conditional calls with disallowed arguments, are refused; runc returns the promised errno', async () => {
    const result = await world.client.run({
      language: 'c',
      code: codeOfJob,
      limits: { timeoutSeconds: 60, processes: 200 },
    })
    expect(result, result.errorMessage ?? '').toMatchObject({ status: 'success' })
    const results = attemptResults(result.stdout)
    if (RUNTIME === 'runsc') {
      // Under gVisor its own kernel refuses them, with other errors.
      const allowed = [...promisedInJob.keys()].filter((name) => results.get(name) === 'ok')
      expect(allowed.sort()).toEqual(EXPECTED.harmlessCalls)
    } else expect(only(results, promisedInJob.keys())).toEqual(Object.fromEntries(promisedInJob))
    const allowedAttempts = [...ALLOWED_ARGUMENTS, ...INIT_ALLOWED_ATTEMPTS]
    for (const attempt of allowedAttempts.filter(({ call }) => RUNTIME === 'runc' || call !== 'seccomp'))
      expect(results.get(attemptName(attempt)), attemptName(attempt)).toBe('ok')
  })
})
