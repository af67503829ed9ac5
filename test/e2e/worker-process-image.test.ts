import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@isopod/client'
import { IMAGES, USUAL_IMAGES } from '@isopod/devstack'
import { afterAll, expect, inject, it } from 'vitest'
import { NO_GO, openRenderer } from '../helm/chart.ts'
import { containerOptions, type PodSpec } from '../helm/container-options.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { buildService, openSocketRelay } from '../support/service-images.ts'
import { scaled } from '../support/time-factor.ts'

const BUILT = { worker: 'isopod/test-worker-process:latest', cli: 'isopod/test-cli:latest' }
const NAME = `isopod-test-worker-process-${process.pid}`
const { dockerHost, redisUrl } = inject('stack')

/** Prints the differences between the roots in an image and their manifests, one line for each root. */
const VERIFY = `import('@isopod/sandbox').then(async ({ RootStore }) => {
  const store = new RootStore('/var/lib/isopod/roots')
  for (const { digest, references } of await store.list()) {
    console.log(references.join() + ':', (await store.verify(digest)).join() || 'unchanged')
  }
})`
const READY = `fetch('http://127.0.0.1:9464/readyz').then(({ status }) => console.log(status))`

afterAll(async () => {
  await docker(dockerHost, 'rm', '--force', NAME).catch(() => {})
  await docker(dockerHost, 'rmi', ...Object.values(BUILT)).catch(() => {})
})

// promise: worker-process-image
it('the image of the worker with roots runs jobs in a container like its pod, without an engine', {
  timeout: scaled(900_000),
}, async (context) => {
  if (!dockerHost.startsWith('unix://') || !redisUrl.startsWith('redis+unix://')) {
    context.skip('the container needs a socket of Redis to mount, and there is none here')
  }
  const { render, isMissing } = await openRenderer()
  context.skip(isMissing, NO_GO)
  const chart = await render({ settings: { ISOPOD_QUEUE_PREFIX: NAME } })
  const pod: PodSpec = chart.object('Deployment', '-worker').spec.template.spec
  const test: PodSpec = chart.object('Pod', '-run-job').spec

  await buildService(dockerHost, 'worker-process', BUILT.worker)
  await buildService(dockerHost, 'gateway', BUILT.cli, 'cli')
  const bytes = Number(await docker(dockerHost, 'image', 'inspect', '--format', '{{.Size}}', BUILT.worker))
  console.log(`worker-process: ${Math.round(bytes / 1e6)} MB`)

  const folder = await mkdtemp(join(tmpdir(), 'isopod-worker-process-'))
  const socket = join(folder, 'redis.sock')
  const relay = await openSocketRelay(redisUrl, socket)
  const client = await connect({ url: redisUrl, prefix: NAME })
  const redis = ['--network', 'none', '--volume', `${socket}:/redis.sock`]
  const asIn = (spec: PodSpec) => [
    ...containerOptions(spec, { REDIS_URL: 'redis+unix:///redis.sock' }),
    ...redis,
  ]
  try {
    await docker(dockerHost, 'run', '--detach', '--name', NAME, ...asIn(pod), BUILT.worker)
    const jobs = [
      { language: 'python', code: 'import numpy\nprint(numpy.arange(4).sum())' },
      { language: 'javascript', code: 'console.log(6)' },
      { language: 'c', code: '#include <stdio.h>\nint main(void) { puts("6"); }' },
      { language: 'bash', code: 'echo $((1 + 5))' },
    ]
    for (const job of jobs) {
      const id = await client.submit(job)
      // A worker takes no job before its self-test has passed.
      const result = await eventually(
        () => client.result(id),
        (found) => found !== undefined,
        60_000,
      )
      expect(result, await docker(dockerHost, 'logs', NAME)).toMatchObject({
        status: 'success',
        stdout: '6\n',
      })
    }
    expect(await docker(dockerHost, 'exec', NAME, 'node', '-e', READY)).toBe('200')
    const roots = await docker(dockerHost, 'exec', NAME, 'node', '-e', VERIFY)
    expect(roots.split('\n').sort()).toEqual(USUAL_IMAGES.map((name) => `${IMAGES[name]}: unchanged`).sort())

    const [entrypoint = '', ...words] = test.containers[0].command ?? []
    const command = ['--entrypoint', entrypoint, BUILT.cli, ...words]
    expect(await docker(dockerHost, 'run', '--rm', ...asIn(test), ...command)).toContain('42')

    await docker(dockerHost, 'stop', '--time', String(pod.terminationGracePeriodSeconds), NAME)
    const code = await docker(dockerHost, 'inspect', '--format', '{{.State.ExitCode}}', NAME)
    expect(code, await docker(dockerHost, 'logs', NAME)).toBe('0')
  } finally {
    await client.close()
    relay.close()
    await rm(folder, { recursive: true, force: true })
  }
})
