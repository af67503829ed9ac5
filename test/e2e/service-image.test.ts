import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from '@isopod/client'
import { afterAll, expect, inject, it } from 'vitest'
import { parse } from 'yaml'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'

const exec = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NODE_IMAGE = 'isopod/test-node:24'
const WORKER_IMAGE = 'isopod/test-worker:latest'
const GATEWAY_IMAGE = 'isopod/test-gateway:latest'
const NAME = `isopod-test-worker-${process.pid}`
const GATEWAY_NAME = `isopod-test-gateway-${process.pid}`
const { dockerHost, redisUrl } = inject('stack')

afterAll(async () => {
  await docker(dockerHost, 'rm', '-f', NAME, GATEWAY_NAME).catch(() => {})
  await docker(dockerHost, 'rmi', WORKER_IMAGE, GATEWAY_IMAGE).catch(() => {})
})

/** Builds the image of one service from this checkout. */
async function buildService(name: 'worker' | 'gateway', tag: string): Promise<void> {
  const file = join(ROOT, `deploy/services/${name}/Dockerfile`)
  const node = ['--build-arg', `NODE_IMAGE=${NODE_IMAGE}`]
  const options = ['--quiet', '--network', 'host', ...node, '--tag', tag, '--file', file]
  await docker(dockerHost, 'build', ...options, ROOT)
}

/** Names of the npm packages in an image. */
async function librariesOf(image: string): Promise<string[]> {
  const list = ['run', '--rm', '--network', 'none', '--entrypoint', 'ls', image, 'node_modules']
  return (await docker(dockerHost, ...list)).split('\n')
}

/** A relay to Redis with a socket for any user, because only root may use the socket of the private stack. */
async function openRelay(path: string): Promise<Server> {
  const relay = createServer((incoming) => {
    const outgoing = createConnection(redisUrl.slice('redis+unix://'.length))
    incoming.pipe(outgoing).pipe(incoming)
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  }).listen(path)
  await once(relay, 'listening')
  await chmod(path, 0o777)
  return relay
}

/** Builds an image with this machine's Node and npm, which replaces `node:24` where no image registry is reachable. */
async function buildNodeImage(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-node-image-'))
  try {
    // Not `npm root --global`, which depends on the Node that runs it and may point to a Node without npm.
    const { stdout: cli } = await exec('sh', ['-c', 'readlink -f "$(command -v npm)"'])
    await cp(join(dirname(cli), '..'), join(folder, 'npm'), { recursive: true, dereference: true })
    const authorities = process.env['NODE_EXTRA_CA_CERTS']
    if (authorities) await copyFile(authorities, join(folder, 'authorities.crt'))
    else await writeFile(join(folder, 'authorities.crt'), '')
    const lines = [
      'FROM isopod/javascript:24',
      'USER 0',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx',
      ...(authorities
        ? ['COPY authorities.crt /etc/authorities.crt', 'ENV NODE_EXTRA_CA_CERTS=/etc/authorities.crt']
        : []),
    ]
    await writeFile(join(folder, 'Dockerfile'), lines.join('\n'))
    await docker(dockerHost, 'build', '--quiet', '--tag', NODE_IMAGE, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

it('the image of the worker builds, runs a job, and ends cleanly on SIGTERM', async (context) => {
  if (!dockerHost.startsWith('unix://') || !redisUrl.startsWith('redis+unix://')) {
    context.skip('the container needs sockets of engine and Redis to mount, and there are none here')
  }
  await buildNodeImage()
  await buildService('worker', WORKER_IMAGE)
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
}, 400_000)

// promise: http-image
it('the image of the gateway serves without root, without an engine and with a read-only file system', async (context) => {
  if (!dockerHost.startsWith('unix://') || !redisUrl.startsWith('redis+unix://')) {
    context.skip('the container needs a socket of Redis to mount, and there is none here')
  }
  await buildNodeImage()
  await buildService('gateway', GATEWAY_IMAGE)
  const libraries = await librariesOf(GATEWAY_IMAGE)
  expect(libraries).toContain('fastify')
  expect(libraries.filter((name) => ['dockerode', 'vitest', 'typescript'].includes(name))).toEqual([])

  const folder = await mkdtemp(join(tmpdir(), 'isopod-gateway-image-'))
  const socket = join(folder, 'redis.sock')
  const relay = await openRelay(socket)
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
}, 400_000)

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
