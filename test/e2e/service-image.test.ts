import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from '@isopod/client'
import { afterAll, expect, inject, it } from 'vitest'
import { parse } from 'yaml'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { buildService, openSocketRelay } from '../support/service-images.ts'
import { scaled } from '../support/time-factor.ts'

const exec = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WORKER_IMAGE = 'isopod/test-worker:latest'
const GATEWAY_IMAGE = 'isopod/test-gateway:latest'
const NAME = `isopod-test-worker-${process.pid}`
const GATEWAY_NAME = `isopod-test-gateway-${process.pid}`
const { dockerHost, redisUrl } = inject('stack')

afterAll(async () => {
  await docker(dockerHost, 'rm', '-f', NAME, GATEWAY_NAME).catch(() => {})
  await docker(dockerHost, 'rmi', WORKER_IMAGE, GATEWAY_IMAGE).catch(() => {})
})

/** Names of the npm packages in an image. */
async function librariesOf(image: string): Promise<string[]> {
  const list = ['run', '--rm', '--network', 'none', '--entrypoint', 'ls', image, 'node_modules']
  return (await docker(dockerHost, ...list)).split('\n')
}

it('the image of the worker builds, runs a job, and ends cleanly on SIGTERM', {
  timeout: scaled(400_000),
}, async (context) => {
  if (!dockerHost.startsWith('unix://') || !redisUrl.startsWith('redis+unix://')) {
    context.skip('the container needs sockets of engine and Redis to mount, and there are none here')
  }
  await buildService(dockerHost, 'worker', WORKER_IMAGE)
  const libraries = await librariesOf(WORKER_IMAGE)
  expect(libraries).toContain('dockerode')
  expect(libraries.filter((name) => ['fastify', 'vitest', 'typescript'].includes(name))).toEqual([])

  const [engineSocket, redisSocket] = [
    dockerHost.slice('unix://'.length),
    redisUrl.slice('redis+unix://'.length),
  ]
  const prefix = NAME
  await docker(
    dockerHost,
    ...[
      'run',
      '--detach',
      '--name',
      NAME,
      '--network',
      'none',
      '--read-only',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges:true',
    ],
    ...['--volume', `${engineSocket}:/var/run/docker.sock`, '--volume', `${redisSocket}:/redis.sock`],
    ...[
      '--env',
      'REDIS_URL=redis+unix:///redis.sock',
      '--env',
      `ISOPOD_QUEUE_PREFIX=${prefix}`,
      '--env',
      'ISOPOD_ALLOW_OLD_RUNC=true',
      WORKER_IMAGE,
    ],
  )
  const client = await connect({ url: redisUrl, prefix })
  try {
    const id = await client.submit({ language: 'bash', code: 'echo from a container' })
    const result = await eventually(
      () => client.result(id),
      (found) => found !== undefined,
      30_000,
    )
    expect(result, await docker(dockerHost, 'logs', NAME)).toMatchObject({
      status: 'success',
      stdout: 'from a container\n',
    })
  } finally {
    await client.close()
  }
  await docker(dockerHost, 'stop', '--time', '20', NAME)
  expect(await docker(dockerHost, 'inspect', '--format', '{{.State.ExitCode}}', NAME)).toBe('0')
})

// promise: http-image
it('the image of the gateway serves without root, without an engine and with a read-only file system', {
  timeout: scaled(400_000),
}, async (context) => {
  if (!dockerHost.startsWith('unix://') || !redisUrl.startsWith('redis+unix://')) {
    context.skip('the container needs a socket of Redis to mount, and there is none here')
  }
  await buildService(dockerHost, 'gateway', GATEWAY_IMAGE)
  const libraries = await librariesOf(GATEWAY_IMAGE)
  expect(libraries).toContain('fastify')
  expect(libraries.filter((name) => ['dockerode', 'vitest', 'typescript'].includes(name))).toEqual([])

  const folder = await mkdtemp(join(tmpdir(), 'isopod-gateway-image-'))
  const socket = join(folder, 'redis.sock')
  const relay = await openSocketRelay(redisUrl, socket)
  const client = await connect({ url: redisUrl, prefix: GATEWAY_NAME })
  try {
    const confined = ['--network', 'none', '--read-only', '--cap-drop', 'ALL']
    const rest = ['--security-opt', 'no-new-privileges:true', '--volume', `${socket}:/redis.sock`]
    const env = [
      '--env',
      'REDIS_URL=redis+unix:///redis.sock',
      '--env',
      `ISOPOD_QUEUE_PREFIX=${GATEWAY_NAME}`,
    ]
    const run = ['run', '--detach', '--name', GATEWAY_NAME, ...confined, ...rest, ...env, GATEWAY_IMAGE]
    await docker(dockerHost, ...run)
    const inspect = (what: string) => docker(dockerHost, 'inspect', '--format', `{{${what}}}`, GATEWAY_NAME)
    await eventually(
      () => inspect('.State.Health.Status'),
      (status) => status === 'healthy',
      30_000,
    )
    expect(await docker(dockerHost, 'exec', GATEWAY_NAME, 'id', '-u')).toBe('10001')
    const submit = `fetch('http://127.0.0.1:8007/v1/executions', {method: 'POST', headers: {'content-type': 'application/json'},
      body: JSON.stringify({code: 'print(1)'})}).then((answer) => answer.json()).then((body) => console.log(body.id))`
    const id = await docker(dockerHost, 'exec', GATEWAY_NAME, 'node', '-e', submit)
    expect(await client.state(id), await docker(dockerHost, 'logs', GATEWAY_NAME)).toBe('waiting')
    await docker(dockerHost, 'stop', '--time', '20', GATEWAY_NAME)
    expect(await inspect('.State.ExitCode')).toBe('0')
  } finally {
    await client.close()
    relay.close()
    await rm(folder, { recursive: true, force: true })
  }
})

interface Compose {
  readonly include?: readonly string[]
  readonly services: Record<string, { image?: string; build?: { context: string; dockerfile: string } }>
}

/** Services with an image to build, of a Compose file and those that it includes; contexts relative to the repository. */
async function builtServices(file: string): Promise<{ image?: string; dockerfile: string }[]> {
  const { include = [], services } = parse(await readFile(join(ROOT, file), 'utf8')) as Compose
  const own = Object.values(services).flatMap(({ image, build }) =>
    build === undefined
      ? []
      : [{ ...(image && { image }), dockerfile: join(dirname(file), build.context, build.dockerfile) }],
  )
  return [...own, ...(await Promise.all(include.map(builtServices))).flat()]
}

it('the Compose file builds the images of the repository under the names that the catalogue uses', async () => {
  const catalogue = parse(await readFile(join(ROOT, 'packages/languages/languages.yaml'), 'utf8')) as Record<
    string,
    { image: string }
  >
  const built = await builtServices('docker-compose.yaml')
  for (const { dockerfile } of built) {
    expect(await readFile(join(ROOT, dockerfile), 'utf8')).toContain('FROM')
  }
  const images = built.flatMap(({ image }) => (image === undefined ? [] : [image]))
  expect([...new Set(Object.values(catalogue).map(({ image }) => image))].sort()).toEqual(images.sort())
})

it('docker compose accepts the Compose file', async (context) => {
  const commands: [string, string[]][] = [
    ['docker', ['compose']],
    ['docker-compose', []],
  ]
  for (const [command, words] of commands) {
    const there = await exec(command, [...words, 'version']).catch(() => undefined)
    if (there === undefined) continue
    const { stdout } = await exec(command, [
      ...words,
      '--file',
      join(ROOT, 'docker-compose.yaml'),
      '--profile',
      'images',
      'config',
    ])
    expect(stdout).toContain('noeviction')
    return
  }
  context.skip('neither docker compose nor docker-compose is installed')
})
