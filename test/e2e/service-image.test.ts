import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
const NAME = `isopod-test-worker-${process.pid}`
const { dockerHost, redisUrl } = inject('stack')

afterAll(async () => {
  await docker(dockerHost, 'rm', '-f', NAME).catch(() => {})
  await docker(dockerHost, 'rmi', WORKER_IMAGE).catch(() => {})
})

/** Node and npm in one image, from what this machine has: where no registry of images is reachable, `node:24` is not to be had. */
async function buildNodeImage(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-node-image-'))
  try {
    // Not `npm root --global`: that follows the Node that runs this, which is not the one that npm came with.
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

it('the image of the worker builds, runs a job, and ends cleanly when it is told to stop', async (context) => {
  if (!dockerHost.startsWith('unix://') || !redisUrl.startsWith('redis+unix://')) {
    context.skip('the container reaches engine and Redis by mounting their sockets, and these have none here')
  }
  await buildNodeImage()
  const file = join(ROOT, 'deploy/services/worker/Dockerfile')
  await docker(
    dockerHost,
    'build',
    '--quiet',
    '--network',
    'host',
    '--build-arg',
    `NODE_IMAGE=${NODE_IMAGE}`,
    '--tag',
    WORKER_IMAGE,
    '--file',
    file,
    ROOT,
  )

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

interface Compose {
  readonly services: Record<
    string,
    { image?: string; build?: string | { context: string; dockerfile?: string } }
  >
}

it('the compose file builds what is in the repository, under the names that the catalogue uses', async () => {
  const compose = parse(await readFile(join(ROOT, 'docker-compose.yaml'), 'utf8')) as Compose
  const catalogue = parse(await readFile(join(ROOT, 'packages/languages/languages.yaml'), 'utf8')) as Record<
    string,
    { image: string }
  >
  const built = Object.values(compose.services).filter(({ build }) => build !== undefined)
  for (const { build } of built) {
    const path = typeof build === 'string' ? join(build, 'Dockerfile') : (build?.dockerfile ?? 'Dockerfile')
    expect(await readFile(join(ROOT, path), 'utf8')).toContain('FROM')
  }
  const images = built.flatMap(({ image }) => (image === undefined ? [] : [image]))
  expect([...new Set(Object.values(catalogue).map(({ image }) => image))].sort()).toEqual(images.sort())
})

it('the compose file is one that Compose accepts', async (context) => {
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
