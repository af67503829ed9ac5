import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, inject, it, type TestContext } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { runWorkerToExit } from '../support/ended-worker.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'

const mayHide = process.getuid?.() === 0 && existsSync('/sys/fs/cgroup/pids/cgroup.procs')

beforeEach((context) => context.skip(!mayHide, 'needs root, dockerd and cgroup v1'))

/** Starts an engine without one cgroup controller and returns its address; it ends with the test. */
async function engineWithout(controller: string, { onTestFinished }: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-engine-'))
  const address = `unix://${folder}/docker.sock`
  // Without this file dockerd would read the configuration of the host's engine.
  await writeFile(`${folder}/daemon.json`, '{}')
  const flags = [
    ...['--data-root', `${folder}/data`, '--exec-root', `${folder}/exec`, '--pidfile', `${folder}/pid`],
    ...['--host', address, '--config-file', `${folder}/daemon.json`, '--bridge', 'none'],
    ...['--iptables=false', '--ip-forward=false', '--ip-masq=false', '--storage-driver', 'vfs'],
  ]
  const script = 'umount "/sys/fs/cgroup/$1" && shift && exec dockerd "$@"'
  const engine = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', controller, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const log = text(engine.stderr)
  const ended = once(engine, 'exit')
  onTestFinished(async () => {
    engine.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const answers = () =>
    docker(address, 'info', '--format', '{{.ID}}').then(
      () => true,
      () => false,
    )
  const there = await eventually(answers, (yes) => yes || engine.exitCode !== null, 60_000)
  if (!there) throw new Error(`dockerd did not start: ${engine.exitCode === null ? 'no answer' : await log}`)
  return address
}

// promise: missing-controllers
it.concurrent.for(['pids', 'memory'])(
  'a worker does not start on an engine that cannot limit %s, and names the missing controller',
  async (controller, context) => {
    skipUnlessDocker(context, 'engine')

    const engine = await engineWithout(controller, context)
    const { code, output } = await runWorkerToExit({
      REDIS_URL: inject('stack').redisUrl,
      DOCKER_HOST: engine,
    })
    expect(code).toBe(1)
    expect(output).toContain(`the engine cannot enforce limits: no cgroup controller for ${controller}`)
    expect(output.trim().split('\n')).toHaveLength(1)
  },
)

// promise: missing-controllers
it.concurrent.for(['pids', 'memory', 'cpu'])(
  'a worker with the process driver does not start without the controller %s, and names it',
  async (controller) => {
    const hide = 'umount "/sys/fs/cgroup/$1" && shift && exec "$@"'
    const { code, output } = await runWorkerToExit(
      { REDIS_URL: inject('stack').redisUrl, ISOPOD_DRIVER: 'process' },
      ['unshare', '--mount', 'sh', '-c', hide, 'sh', controller],
    )
    expect(code).toBe(1)
    expect(output).toContain(
      `the process driver needs the cgroup controller ${controller}, which this host does not offer to the worker`,
    )
    expect(output.trim().split('\n')).toHaveLength(1)
  },
)

// promise: missing-controllers
it.concurrent('a worker that has to limit disk reads does not start on an engine that cannot limit block I/O', async (context) => {
  skipUnlessDocker(context, 'diskReads')

  const { code, output } = await runWorkerToExit({
    REDIS_URL: inject('stack').redisUrl,
    DOCKER_HOST: await engineWithout('blkio', context),
    ISOPOD_IMAGE_DISK_READ: '/dev/sda:100',
    // This engine has no other runtime.
    ISOPOD_RUNTIME: 'runc',
  })
  expect(code).toBe(1)
  expect(output).toContain('the engine cannot limit how fast /dev/sda is read')
  expect(output.trim().split('\n')).toHaveLength(1)
})
