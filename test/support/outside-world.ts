import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { selfSigned } from './self-signed.ts'
import { scaled } from './time-factor.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Puts the files of the namespace's folder over those of /etc, as `ip netns exec` does. That would also mount another /sys, without
 * the cgroups that a worker with the process driver needs.
 */
const OVER_ETC =
  'cd /etc/netns/"$1" 2> /dev/null && for file in *; do mount --bind "$file" "/etc/$file"; done; cd /; shift; exec "$@"'
const WITH_ETC = ['unshare', '--mount', 'sh', '-c', OVER_ETC, 'sh']

/** A process in one of the namespaces, and the lines of its output. */
interface Spawned {
  readonly process: ChildProcess
  readonly lines: string[]
}

/**
 * Two network namespaces that are connected only to each other: a worker runs in one, and the other is its internet. The worker
 * reaches Redis and the engine by Unix sockets, which work across network namespaces.
 */
export interface OutsideWorld {
  /** Requests to the servers in the namespace of the internet, in order. */
  readonly seen: string[]
  /** Requests to servers on the worker's own host. */
  readonly seenAtHome: string[]
  /** The worker's log, one line each. */
  readonly log: string[]
  close(): Promise<void>
}

/** The reason why the namespaces cannot be made here; undefined if they can. */
export async function outsideWorldMissing(redisUrl: string, dockerHost: string): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'making namespaces needs root on Linux'
  const probe = `isopod-probe-${process.pid}`
  try {
    await run('ip', ['netns', 'add', probe])
    await run('ip', ['netns', 'delete', probe])
    // Some kernels have no IPv6.
    await access('/proc/sys/net/ipv6')
  } catch (error) {
    return `ip of iproute2, network namespaces and IPv6 are needed: ${error instanceof Error ? error.message : error}`
  }
  const byPath = redisUrl.startsWith('redis+unix:') && dockerHost.startsWith('unix:')
  return byPath ? undefined : 'Redis and the engine must be reached by Unix sockets, which know no namespaces'
}

/** Makes the namespaces and starts servers and a worker in them. Resolves when the worker takes jobs. Needs root on Linux. */
export async function startOutsideWorld(options: {
  readonly id: string
  /** Lines of the worker's /etc/hosts. */
  readonly hosts: readonly string[]
  /** Content of the worker's file of network profiles. */
  readonly profiles: object
  /** Further settings of the worker. */
  readonly env: NodeJS.ProcessEnv
}): Promise<OutsideWorld> {
  const [home, net] = [`${options.id}-home`, `${options.id}-net`]
  const folder = await mkdtemp(join(tmpdir(), 'isopod-net-'))
  const etc = join('/etc/netns', home)
  const processes: Spawned[] = []

  function startIn(namespace: string, file: string, args: readonly string[], env = process.env): Spawned {
    const command = [`--net=/run/netns/${namespace}`, ...WITH_ETC, namespace, process.execPath, file, ...args]
    const child = spawn('nsenter', command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: string[] = []
    let rest = ''
    child.stdout.on('data', (chunk) => {
      const parts = (rest + String(chunk)).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    })
    const started = { process: child, lines }
    processes.push(started)
    return started
  }

  async function close(): Promise<void> {
    for (const { process: child } of processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    for (const name of [home, net]) await run('ip', ['netns', 'delete', name]).catch(() => {})
    await rm(folder, { recursive: true, force: true })
    await rm(etc, { recursive: true, force: true })
  }

  try {
    await mkdir(etc, { recursive: true })
    await writeFile(join(etc, 'hosts'), `${options.hosts.join('\n')}\n`)
    await writeFile(join(etc, 'resolv.conf'), 'nameserver 10.99.0.2\noptions timeout:1 attempts:1\n')
    for (const line of linkCommands(home, net)) await run('ip', line.split(' '))
    const [key = '', cert = '', profiles = ''] = ['key.pem', 'cert.pem', 'profiles.json'].map((name) =>
      join(folder, name),
    )
    const signed = selfSigned('allowed.example.org')
    await writeFile(key, signed.key)
    await writeFile(cert, signed.cert)
    await writeFile(profiles, JSON.stringify({ profiles: options.profiles }))
    const servers = join(ROOT, 'test/fixtures/servers/internet.mjs')
    const outside = startIn(net, servers, [key, cert])
    const beside = startIn(home, servers, [key, cert])
    await Promise.all([outside, beside].map((server) => until(server, (line) => line === 'ready')))
    const worker = startIn(home, join(ROOT, 'apps/worker/dist/main.js'), [], {
      ...options.env,
      ISOPOD_NETWORK_PROFILES_FILE: profiles,
      PORT: '0',
    })
    await until(worker, (line) => line.includes('"taking jobs"'))
    return { seen: outside.lines, seenAtHome: beside.lines, log: worker.lines, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Commands of `ip` that make the namespaces and connect them. */
function linkCommands(home: string, net: string): string[] {
  return [
    `netns add ${home}`,
    `netns add ${net}`,
    `link add wire netns ${home} type veth peer name wire netns ${net}`,
    ...[home, net].flatMap((name) => [`-n ${name} link set lo up`, `-n ${name} link set wire up`]),
    `-n ${home} address add 10.99.0.1/30 dev wire`,
    `-n ${net} address add 10.99.0.2/30 dev wire`,
    // `nodad` makes the address usable at once, without the check for duplicate addresses.
    `-n ${home} address add fd99::1/64 dev wire nodad`,
    `-n ${net} address add fd99::2/64 dev wire nodad`,
    ...['93.184.216.100/32', '2606:2800:220:1::100/128'].map(
      (address) => `-n ${home} address add ${address} dev lo`,
    ),
    ...['93.184.216.34/32', '10.1.2.3/32', '169.254.169.254/32', '100.64.1.1/32'].map(
      (address) => `-n ${net} address add ${address} dev lo`,
    ),
    ...['2606:2800:220:1::1/128', 'fd12:3456::1/128'].map(
      (address) => `-n ${net} address add ${address} dev lo`,
    ),
    `-n ${home} route add default via 10.99.0.2`,
    `-n ${home} -6 route add default via fd99::2`,
    `-n ${net} route add 93.184.216.100/32 via 10.99.0.1`,
    `-n ${net} -6 route add 2606:2800:220:1::100/128 via fd99::1`,
  ]
}

async function until({ process: child, lines }: Spawned, found: (line: string) => boolean): Promise<void> {
  const deadline = performance.now() + scaled(60_000)
  while (!lines.some(found)) {
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`did not start: ${lines.slice(-5).join('\n')}`)
    }
    await sleep(20)
  }
}
