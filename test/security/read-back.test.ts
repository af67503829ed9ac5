import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { type CreateOptions, RewritingEngine } from '../support/rewriting-engine.ts'
import { EXPECTED, RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

const MIB = 1024 * 1024
let folder: string
let engine: RewritingEngine
let world: World

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-rewriter-'))
  const socket = inject('stack').dockerHost.replace(/^unix:\/\//, '')
  engine = new RewritingEngine(join(folder, 'docker.sock'), socket)
  await engine.open()
  // Without a pool, so that each container is created for its job, with the changes of its test.
  world = await startWorld({ workersDockerHost: `unix://${engine.path}`, env: { ISOPOD_POOL_SIZE: '0' } })
  // The worker's first container installs init.
  await world.client.run({ language: 'bash', code: 'true' })
})

beforeEach((context) => skipUnlessDocker(context, 'engineChanges'))

let faults = 0

afterEach(async () => {
  engine.rewrite = () => {}
  // After three setup errors in a row the worker would pause, so an ordinary job runs in between.
  if (++faults % 2 > 0) return
  expect(await world.client.run({ language: 'bash', code: 'true' })).toMatchObject({ status: 'success' })
})

afterAll(async () => {
  await world?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

type Deviation = readonly [string, (body: CreateOptions) => void, RegExp]

function host(changes: Record<string, unknown>): (body: CreateOptions) => void {
  return (body) => Object.assign(body.HostConfig, changes)
}

function user(name: string): (body: CreateOptions) => void {
  return (body) => Object.assign(body, { User: name })
}

/** Changes the size of one tmpfs mount, or removes the mount if `bytes` is undefined. */
function tmpfs(path: string, bytes: number | undefined): (body: CreateOptions) => void {
  return ({ HostConfig: { Tmpfs } }) => {
    const mounts = Tmpfs as Record<string, string>
    const options = mounts[path]
    if (options === undefined) throw new Error(`no file system is asked for at ${path}`)
    if (bytes === undefined) delete mounts[path]
    else mounts[path] = options.replace(/\bsize=\d+/, `size=${bytes}`)
  }
}

function unfiltered({ HostConfig }: CreateOptions): void {
  HostConfig['SecurityOpt'] = ['no-new-privileges:true', 'seccomp=unconfined']
}

/** Deviations that exist only where the program runs on the host's kernel, unlike under gVisor. */
const DEVIATIONS_OF_LINUX: readonly Deviation[] = [
  ['new privileges', host({ SecurityOpt: [] }), /noNewPrivileges is false, wanted true/],
  ['no filter of system calls', unfiltered, /seccomp is 0, wanted 2/],
]

/** Deviations of a container from its requested options, and how the result must name them. */
const DEVIATIONS: readonly Deviation[] = [
  ['less memory', host({ Memory: 200 * MIB }), /memoryMb is 200, wanted 256/],
  ['swap', host({ MemorySwap: 512 * MIB }), /memorySwapMb is 512, wanted 256/],
  ['unlimited memory', host({ Memory: 0, MemorySwap: 0 }), /memoryMb is .*, wanted 256/],
  ['more processor time', host({ NanoCpus: 1e9 }), /cpus is 1, wanted 0\.5/],
  ['unlimited processor time', host({ NanoCpus: 0 }), /cpus is .*, wanted 0\.5/],
  ['more processes', host({ PidsLimit: 200 }), EXPECTED.moreProcesses],
  ['unlimited processes', host({ PidsLimit: -1 }), EXPECTED.unlimitedProcesses],
  ['a larger workspace', tmpfs('/workspace', 49 * MIB), /workspaceMb is 49, wanted 48/],
  ['a larger /tmp', tmpfs('/tmp', 17 * MIB), /tmpMb is 17, wanted 16/],
  ['no /tmp', tmpfs('/tmp', undefined), /tmpMb is .*, wanted 16/],
  ['a larger /dev/shm', tmpfs('/dev/shm', 17 * MIB), /shmMb is 17, wanted 16/],
  ['another user', user('65533:65534'), /uid is 65533, wanted 60\d{3}/],
  ['another group', user('60000:65533'), /gid is 65533, wanted 65534/],
  ['root', user('0:0'), /uid is 0, wanted 60\d{3}/],
  ['the usual capabilities', host({ CapDrop: [] }), /capabilities is [0-9a-f]+, wanted 0/],
  ['one capability', host({ CapDrop: [], CapAdd: ['NET_RAW'] }), /capabilities is [0-9a-f]+, wanted 0/],
  ...(RUNTIME === 'runsc' ? [] : DEVIATIONS_OF_LINUX),
]
if (RUNTIME === 'runsc') {
  console.warn('skipped: privileges and profile (gVisor grants no privileges and applies no profile)')
}

// Read-back: init reports the limits and privileges that its container really has. If they differ from the requested ones,
// the worker does not send the program to the container.
describe('a container that the engine makes differently from what the worker requested', () => {
  // promise: read-back
  it.each(DEVIATIONS)(
    'with %s never gets the program, and the result blames the platform',
    async (_, change, named) => {
      engine.rewrite = change
      engine.forget()
      const result = await world.client.run({ language: 'bash', code: 'echo it ran' })
      expect(result.errorMessage).toMatch(named)
      // There is no second attempt, because the same engine would make the same container.
      expect(result).toMatchObject({ status: 'setup_error', attributable: false, attempt: 1, stdout: '' })
      // No frame was sent, so the container never got the program.
      expect([engine.asked.length, engine.sent]).toEqual([1, 0])
    },
  )

  it('with fewer open files is ended, and the output of its program is dropped', async () => {
    engine.rewrite = ({ HostConfig }) => {
      const others = (HostConfig['Ulimits'] as { Name: string }[]).filter(({ Name }) => Name !== 'nofile')
      HostConfig['Ulimits'] = [...others, { Name: 'nofile', Soft: 64, Hard: 64 }]
    }
    const result = await world.client.run({ language: 'bash', code: 'echo it ran; sleep 20' })
    expect(result.errorMessage).toMatch(/openFiles is 64, wanted 256/)
    expect(result).toMatchObject({ status: 'setup_error', attributable: false, attempt: 1, stdout: '' })
  })

  it('runs the program if the relay changes nothing, so the refusals do not come from the relay itself', async () => {
    engine.rewrite = () => {}
    const result = await world.client.run({ language: 'bash', code: 'echo it ran' })
    expect(result).toMatchObject({ status: 'success', stdout: 'it ran\n' })
    expect(engine.sent).toBeGreaterThan(0)
  })
})
