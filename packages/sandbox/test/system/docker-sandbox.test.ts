import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { RetryableError, UnavailableError } from '@isopod/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import type { SandboxEvent } from '../../src/driver/sandbox-events.ts'
import { openDockerSandbox } from '../../src/open-docker-sandbox.ts'
import type { Sandbox } from '../../src/sandbox.ts'
import { limits, script } from '../support/execution.ts'

const exec = promisify(execFile)
const { dockerHost } = inject('stack')
const deployment = `sandbox-test-${process.pid}`
const users = { first: 60_000, last: 60_255, gid: 65_534 }
const events: SandboxEvent[] = []
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await open('w1')
})

afterAll(async () => {
  await sandbox.close()
  expect(await containers()).toEqual([])
})

afterEach(() => {
  events.length = 0
})

function open(owner: string, address = dockerHost): Promise<Sandbox> {
  return openDockerSandbox({
    address,
    deployment,
    owner,
    users,
    // The tests' engine is that of the distribution, which may have an old runc.
    allowOldRunc: true,
    reaperGraceMs: 300,
    observe: (event) => events.push(event),
  })
}

async function docker(...args: string[]): Promise<string> {
  const { stdout } = await exec('docker', args, { env: { ...process.env, DOCKER_HOST: dockerHost } })
  return stdout.trim()
}

async function containers(): Promise<string[]> {
  const names = await docker(
    'ps',
    '-a',
    '--filter',
    `label=isopod.deployment=${deployment}`,
    '--format',
    '{{.Names}}',
  )
  return names.split('\n').filter((name) => name !== '')
}

function run(code: string, changes: Partial<Execution> = {}, signal?: AbortSignal): Promise<Outcome> {
  const execution = script(code, { id: `j-${randomUUID()}`, ...changes })
  return sandbox.run(execution, signal ? { signal } : {})
}

const nameOf = (id: string) =>
  `isopod-${createHash('sha256').update(deployment).digest('hex').slice(0, 12)}-${id}-1`
const text = (outcome: Outcome) => Buffer.from(outcome.stdout.bytes).toString()

/** Waits until a container of this test runs its program. */
async function started(id: string): Promise<void> {
  const name = nameOf(id)
  while (!(await docker('ps', '--filter', `name=${name}`, '--format', '{{.Names}}')))
    await new Promise((r) => setTimeout(r, 50))
  await new Promise((resolve) => setTimeout(resolve, 500))
}

describe('an execution', () => {
  it('runs as an unprivileged user, in its workspace, on a read-only system', async () => {
    const outcome = await run('id -u; id -g; pwd; touch /x 2>/dev/null || echo read-only; cat /proc/1/comm')
    expect(text(outcome)).toMatch(/^60\d{3}\n65534\n\/workspace\nread-only\ninit\n$/)
  })

  it('has a user id that no concurrent execution has', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => run('id -u; sleep 0.5')))
    expect(new Set(outcomes.map(text)).size).toBe(4)
  })

  it('reports its container from creation to removal', async () => {
    await run('true', { id: 'observed' })
    const observed = () => events.filter((event) => 'job' in event && event.job === 'observed')
    while (observed().length < 2) await new Promise((r) => setTimeout(r, 20))
    expect(observed()).toEqual(
      ['container_created', 'container_removed'].map((type) => ({
        type,
        container: expect.stringMatching(/^[0-9a-f]{64}$/),
        job: 'observed',
        attempt: 1,
      })),
    )
  })

  it('reports every limit as read in its container', async () => {
    const asked = limits({
      memoryMb: 48,
      cpus: 0.3,
      processes: 17,
      diskMb: 10,
      openFiles: 99,
      outputBytes: 77,
      timeoutSeconds: 3,
      jobSeconds: 30,
      cpuSeconds: 2,
    })
    const outcome = await run('ulimit -n; ulimit -c', { limits: asked })
    expect(text(outcome)).toBe('99\n0\n')
    const { onOverflow: _, ...applied } = asked
    expect(outcome.limitsApplied).toEqual({ ...applied, memorySwapMb: 48 })
  })

  it('can neither open nor watch init’s binary, which all containers share', async () => {
    const outcome = await run('cat /isopod/init; ls /isopod; exec 3< /isopod/init || echo closed')
    expect(text(outcome)).not.toContain('ELF')
    expect(
      Buffer.from(outcome.stderr.bytes)
        .toString()
        .match(/Permission denied/g),
    ).toHaveLength(3)
  })

  it('never finds anything of an earlier one', async () => {
    const traces = 'echo $((RANDOM)) > /tmp/a; echo b > /dev/shm/b; echo c > c'
    expect((await run(traces)).status).toBe('success')
    expect(text(await run('ls -A /tmp /dev/shm /workspace'))).toBe(
      '/dev/shm:\n\n/tmp:\n\n/workspace:\nmain.sh\n',
    )
  })

  it('ends at once when it is aborted, and its container is removed', async () => {
    const abort = new AbortController()
    const id = `j-${randomUUID()}`
    const running = run('sleep 60', { id }, abort.signal)
    const outcome = expect(running).rejects.toThrow('enough')
    await started(id)
    abort.abort(new Error('enough'))
    await outcome
    await expect.poll(containers, { timeout: scaled(10_000) }).toEqual([])
  })

  it('makes no container if it is aborted before it starts', async () => {
    await expect(run('true', {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    expect(
      events.filter((event) => event.type === 'driver_call' && event.call.operation === 'create'),
    ).toEqual([])
  })

  it('takes over the name of a container whose creation was never answered', async () => {
    const id = `j-${randomUUID()}`
    await docker(
      'create',
      '--name',
      nameOf(id),
      '--label',
      `isopod.deployment=${deployment}`,
      'isopod/bash:5.2',
      'true',
    )
    expect(await run('echo mine', { id }).then(text)).toBe('mine\n')
  })

  it('is refused as a fault of this worker if the image is missing', async () => {
    const { language } = script('')
    const error = await run('true', { language: { ...language, image: 'isopod/none:1' } }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(RetryableError)
    expect((error as Error).message).toBe(
      'image isopod/none:1 is not on this engine; build it with: npm run images -- none',
    )
  })
})

describe('the reaper', () => {
  // Containers are removed in the background. One of an earlier spec would be reaped and counted, because its owner has no lease.
  beforeEach(async () => {
    await expect.poll(containers, { timeout: scaled(10_000) }).toEqual([])
    events.length = 0
  })

  it('removes containers of owners that are gone, and those past their deadline, whichever deployment made them', async () => {
    const label = (owner: string, of = deployment) => [
      '--label',
      `isopod.deployment=${of}`,
      '--label',
      `isopod.owner=${owner}`,
    ]
    const gone = await docker('create', ...label('dead'), 'isopod/bash:5.2', 'true')
    const lives = await docker('create', ...label('w2'), 'isopod/bash:5.2', 'true')
    const stranger = await docker('create', ...label('dead', 'another'), 'isopod/bash:5.2', 'true')
    const lifetime = (ms: number) => ['--label', `isopod.lifetime=${ms}`]
    const create = (...labels: string[]) => docker('create', ...labels, 'isopod/bash:5.2', 'true')
    const expired = await create(...label('w2'), ...lifetime(-1))
    // Long past its deadline, as its own deployment would remove it first.
    const orphan = await create(...label('dead', 'ended'), ...lifetime(-61_000))
    const young = await create(...label('dead', 'another'), ...lifetime(-1))
    const unlabelled = await create(...lifetime(-61_000))
    try {
      await sandbox.reap(async () => new Set(['w2']))
      const left = (await docker('ps', '-aq', '--no-trunc')).split('\n')
      const isLeft = (id: string) => left.includes(id)
      expect([gone, expired, orphan].filter(isLeft)).toEqual([])
      expect([lives, stranger, young, unlabelled].filter((id) => !isLeft(id))).toEqual([])
      const reaped = events.flatMap((event) => (event.type === 'reaped' ? [event] : []))
      const reasons = new Map(reaped.map(({ container, reason }) => [container, reason]))
      expect([gone, expired].map((id) => reasons.get(id))).toEqual(['owner_gone', 'deadline'])
    } finally {
      await docker('rm', lives, stranger, young, unlabelled)
    }
  })

  it('keeps containers of an owner that renews its lease before the second check', async () => {
    const labels = ['--label', `isopod.deployment=${deployment}`, '--label', 'isopod.owner=late']
    const id = await docker('create', ...labels, 'isopod/bash:5.2', 'true')
    try {
      let asked = 0
      expect(await sandbox.reap(async () => new Set(asked++ === 0 ? [] : ['late']))).toBe(0)
      expect(asked).toBe(2)
    } finally {
      await docker('rm', id)
    }
  })
})

it.each([
  ['removed', ['rm', '-f']],
  ['killed', ['kill']],
])(
  'an execution whose container is %s from outside is a retryable fault, not the program’s',
  async (_, command) => {
    const id = `j-${randomUUID()}`
    const running = run('sleep 60', { id }).catch((error: unknown) => error)
    await started(id)
    await docker(...command, nameOf(id))
    expect(await running).toBeInstanceOf(RetryableError)
  },
)

describe('a sandbox', () => {
  it('ends running executions when it is closed, and leaves no container', async () => {
    const other = await open('w3')
    const id = `j-${randomUUID()}`
    const running = expect(other.run(script('sleep 60', { id }))).rejects.toThrow('closing')
    await started(id)
    await Promise.all([other.close(), other.close()])
    await running
    expect((await containers()).filter((name) => name.includes(id))).toEqual([])
  })

  it('fails at once if there is no engine', async () => {
    await expect(open('w4', 'unix:///nowhere.sock')).rejects.toThrow(UnavailableError)
  })

  it('refuses a runtime that the engine does not have', async () => {
    const opened = openDockerSandbox({
      address: dockerHost,
      deployment,
      owner: 'w5',
      runtime: 'no-such',
      users,
    })
    await expect(opened).rejects.toThrow(/has no runtime "no-such"; it has .*runc/)
  })
})
