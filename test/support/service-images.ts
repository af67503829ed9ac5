import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { docker } from './engine.ts'

const exec = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NODE_IMAGE = 'isopod/test-node:24'

/** Builds the image of one service from this checkout. @param target stage of its Dockerfile, if not the last */
export async function buildService(
  dockerHost: string,
  name: string,
  tag: string,
  target?: string,
): Promise<void> {
  await buildNodeImage(dockerHost)
  const file = join(ROOT, `deploy/services/${name}/Dockerfile`)
  const node = ['--build-arg', `NODE_IMAGE=${NODE_IMAGE}`]
  const options = ['--quiet', '--network', 'host', ...node, '--tag', tag, '--file', file]
  await docker(dockerHost, 'build', ...options, ...(target ? ['--target', target] : []), ROOT)
}

/** A relay to Redis with a socket for any user, because only root may use the socket of the private stack. */
export async function openSocketRelay(redisUrl: string, path: string): Promise<Server> {
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
async function buildNodeImage(dockerHost: string): Promise<void> {
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
