import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@isopod/client'
import { freePort } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext, vi } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { containersOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type CreateOptions, RewritingEngine } from '../support/rewriting-engine.ts'
import { DRIVER, EXPECTED, RESULT_RUNTIME, RUNTIME } from '../support/runtime.ts'
import { sandboxesOf } from '../support/sandboxes.ts'
import { startWorld } from '../support/world.ts'

const WORKER = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url))
const { dockerHost, redisUrl } = inject('stack')
let folder: string
let engines = 0

// Two at a time, because each self-test keeps one of the two processors of a small host busy.
vi.setConfig({ maxConcurrency: 2 })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-self-test-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Address of a relay to the engine that changes the options of new containers until the test ends. */
async function engineThat(
  rewrite: (options: CreateOptions) => void,
  onTestFinished: TestContext['onTestFinished'],
): Promise<string> {
  const path = join(folder, `engine-${++engines}.sock`)
  const engine = new RewritingEngine(path, dockerHost.replace('unix://', ''))
  engine.rewrite = rewrite
  await engine.open()
  onTestFinished(() => engine.close())
  return `unix://${path}`
}

interface Finding {
  readonly probe: string
  readonly runtime: string
  readonly verdict: string
  readonly detail: string
}

function worker(words: string[], env: NodeJS.ProcessEnv): { process: ChildProcess; text: () => string } {
  const child = spawn(process.execPath, [WORKER, ...words], { env: { ...process.env, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  }
  return { process: child, text: () => text }
}

/** Findings and exit code of `main.js self-test` with the engine at this address. */
async function findings(dockerHost: string): Promise<{ code: number; found: Finding[]; text: string }> {
  const { process: child, text } = worker(['self-test'], {
    DOCKER_HOST: dockerHost,
    ISOPOD_STACK: 'self-test',
  })
  const [code] = (await once(child, 'close')) as [number]
  const lines = text().split('\n')
  const all = lines.filter((line) => line.startsWith('{"probe"')).map((line) => JSON.parse(line) as Finding)
  // The self-test also probes other runtimes that jobs may use.
  const found = all.filter(({ runtime }) => runtime === RESULT_RUNTIME)
  return { code, found, text: text() }
}

/** Removes only hardening that the read-back (read-back.test.ts) ignores, because a container that fails it is not probed. */
const weak = (options: CreateOptions) => {
  options['Hostname'] = 'worker-17'
  const host = options.HostConfig
  Object.assign(host, {
    ReadonlyRootfs: false,
    // The read-back checks this limit under gVisor, so without it no probe would run.
    Ulimits: (host['Ulimits'] as { Name: string }[]).filter(({ Name }) => Name === 'nproc'),
    MaskedPaths: [],
    ReadonlyPaths: [],
    Binds: [`${folder}:/host:ro`, '/dev/shm:/run', `${tmpdir()}:/mnt${tmpdir()}:ro`],
  })
  // With these options a container under gVisor would not start, or would not pass the read-back.
  if (RUNTIME === 'runsc') return
  options['NetworkDisabled'] = false
  Object.assign(host, {
    NetworkMode: 'host',
    // The engine refuses these sysctls in the host's network.
    Sysctls: {},
    IpcMode: 'host',
    Devices: [{ PathOnHost: '/dev/kmsg', PathInContainer: '/dev/kmsg', CgroupPermissions: 'rwm' }],
  })
}

// promise: self-test
describe.concurrent('a worker at its start', () => {
  it('finds that each probe is contained, reports it, and takes jobs', async () => {
    const world = await startWorld({ env: { ISOPOD_SELF_TEST: 'true' } })
    try {
      const url = world.workers[0]?.url
      const ready = (await (await fetch(`${url}/readyz`)).json()) as { checks: Record<string, string> }
      expect(ready.checks).toMatchObject({ selfTest: 'ok' })
      const metrics = await (await fetch(`${url}/metrics`)).text()
      const values = [...metrics.matchAll(/^isopod_selftest_failed\{probe="[a-z-]+"\} (\d)$/gm)]
      expect(values.length).toBeGreaterThanOrEqual(30 - EXPECTED.exemptProbes)
      expect(values.map(([, value]) => value)).toEqual(values.map(() => '0'))
      expect(metrics).toMatch(/^isopod_selftest_duration_seconds \d/m)
      expect(await world.client.run({ language: 'bash', code: 'echo ok' })).toMatchObject({ stdout: 'ok\n' })
    } finally {
      await world.close()
    }
  })

  it('takes no job if probes succeed, and names them in its log, its metrics and /readyz', async (context) => {
    skipUnlessDocker(context, 'engineChanges')

    const { onTestFinished } = context
    const prefix = `test-self-test-${process.pid}`
    const port = await freePort()
    const client = await connect({ url: redisUrl, prefix })
    const { process: child, text } = worker([], {
      DOCKER_HOST: await engineThat(weak, onTestFinished),
      REDIS_URL: redisUrl,
      PORT: String(port),
      ISOPOD_QUEUE_PREFIX: prefix,
      ISOPOD_STACK: prefix,
      ISOPOD_DRAIN_SECONDS: '1',
    })
    try {
      const ask = async (path: string) => await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
      const state = await eventually(
        () => ask('/readyz').catch(() => ''),
        (answer) => answer.includes('failed'),
        60_000,
      )
      const { ok, checks } = JSON.parse(state) as { ok: boolean; checks: Record<string, string> }
      expect([ok, checks['state']]).toEqual([false, 'failed_self_test'])
      const failed = checks['selfTest']?.replace('failed: ', '').split(', ') ?? []
      expect(failed).toEqual(expect.arrayContaining(EXPECTED.succeedingProbes))
      expect(failed).not.toContain('forks')
      const metrics = await ask('/metrics')
      for (const probe of failed) expect(metrics).toContain(`isopod_selftest_failed{probe="${probe}"} 1`)
      expect(metrics).toContain('isopod_selftest_failed{probe="forks"} 0')
      expect(metrics).toContain('isopod_worker_state{state="failed_self_test"} 1')
      expect(text()).toContain('"probe":"read-only"')
      expect(text()).toContain('/var/tmp can be written to')
      const id = await client.submit({ language: 'bash', code: 'echo ran' })
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      expect(await client.result(id)).toBeUndefined()
      await client.cancel(id)
    } finally {
      child.kill('SIGTERM')
      const [code] = (await once(child, 'close')) as [number]
      expect(code).toBe(0)
      await client.close()
    }
    expect(await containersOf(dockerHost, prefix)).toEqual([])
  })

  it('ends on SIGTERM during its self-test, and leaves no container', async () => {
    const stack = `self-test-end-${process.pid}`
    const made = () => (DRIVER === 'process' ? sandboxesOf(folder) : containersOf(dockerHost, stack))
    const { process: child, text } = worker([], {
      DOCKER_HOST: dockerHost,
      REDIS_URL: redisUrl,
      PORT: '0',
      ISOPOD_QUEUE_PREFIX: stack,
      ISOPOD_STACK: stack,
      ISOPOD_SANDBOX_STATE_DIR: folder,
    })
    const seen = new Set<string>()
    await eventually(
      async () => (await made()).map((id) => seen.add(id)),
      () => seen.size > 2,
    )
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number]
    expect([code, text()]).toEqual([0, expect.not.stringContaining('taking jobs')])
    expect(await made()).toEqual([])
  })

  it('runs no probe in a container that lacks a requested limit', async (context) => {
    skipUnlessDocker(context, 'engineChanges')

    const { onTestFinished } = context
    const unlimited = ({ HostConfig }: CreateOptions) => {
      delete HostConfig['PidsLimit']
    }
    const { code, found } = await findings(await engineThat(unlimited, onTestFinished))
    const tried = found.filter(({ verdict }) => verdict !== 'exempt')
    expect(tried.map(({ verdict }) => verdict)).toEqual(tried.map(() => 'untried'))
    expect(found.length - tried.length).toBe(EXPECTED.exemptProbes)
    expect(found[0]?.detail).toMatch(EXPECTED.unlimitedProcessesOfProbes)
    expect(code).toBe(1)
  })
})
