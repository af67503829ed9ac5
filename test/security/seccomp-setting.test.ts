import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seccompDecisions, seccompProfile } from '@isopod/sandbox'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { runWorkerToExit } from '../support/ended-worker.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld } from '../support/world.ts'

/** Sets the execution domain that is set already. The engine's default profile allows this call; Isopod's does not. */
const code = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.personality(0), ctypes.get_errno())
`

beforeEach((context) => context.skip(RUNTIME === 'runsc', 'gVisor applies no seccomp profile'))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-profile-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function personality(env: NodeJS.ProcessEnv): Promise<string> {
  const world = await startWorld({ env })
  try {
    return (await world.client.run({ language: 'python', code })).stdout
  } finally {
    await world.close()
  }
}

it('a container has Isopod’s profile, not the engine’s', async () => {
  expect(await personality({})).toBe('-1 1\n')
})

it('a profile of the operator replaces Isopod’s', async () => {
  const profile = seccompProfile(await seccompDecisions(), process.arch === 'arm64' ? 'arm64' : 'x64')
  const more = { names: ['personality'], action: 'SCMP_ACT_ALLOW' }
  const file = join(folder, 'more.json')
  await writeFile(file, JSON.stringify({ ...profile, syscalls: [...profile.syscalls, more] }))
  expect(await personality({ ISOPOD_SECCOMP_PROFILE: file })).toBe('0 0\n')
})

it('a worker does not start with a profile that refuses no call', async () => {
  const { dockerHost, redisUrl } = inject('stack')
  const file = join(folder, 'open.json')
  await writeFile(file, '{"defaultAction":"SCMP_ACT_ALLOW"}')
  const { code: exit, output } = await runWorkerToExit({
    REDIS_URL: redisUrl,
    DOCKER_HOST: dockerHost,
    ISOPOD_SECCOMP_PROFILE: file,
  })
  expect(exit).toBe(1)
  expect(output).toContain(`ISOPOD_SECCOMP_PROFILE: ${file} must refuse at least one system call`)
  expect(output.trim().split('\n')).toHaveLength(1)
})
