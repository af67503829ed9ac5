import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type OutsideWorld, outsideWorldMissing, startOutsideWorld } from '../support/outside-world.ts'
import { program } from '../support/programs.ts'
import { under } from '../support/runtime.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

const HOSTS = [
  '127.0.0.1 localhost loop.example.org',
  '93.184.216.34 allowed.example.org sub.wild.example.org wild.example.org other.example.org',
  '10.1.2.3 inner.example.org both.example.org',
  '93.184.216.34 both.example.org',
  '169.254.169.254 meta.example.org',
  '93.184.216.100 own.example.org',
  '10.99.0.1 own.wild.example.org',
  '2606:2800:220:1::1 six.example.org',
  'fd12:3456::1 inner-six.example.org',
]
const EGRESS = [
  'allowed.example.org:80',
  'allowed.example.org:443',
  'allowed.example.org:7',
  '*.wild.example.org:80',
  // The profile lists these too, so that only the check of the address can refuse them.
  ...['inner', 'both', 'meta', 'loop', 'own', 'rebind', 'named', 'dead', 'six', 'inner-six'].map(
    (name) => `${name}.example.org:80`,
  ),
  ...[
    '127.0.0.1:6379',
    '127.0.0.1:2375',
    '10.1.2.3:80',
    '169.254.169.254:80',
    '100.64.1.1:80',
    '93.184.216.100:80',
  ],
  ...['[2606:2800:220:1::1]:80', '[2606:2800:220:1::100]:80', '[fd12:3456::1]:80'],
  ...['[::1]:80', '[::ffff:10.1.2.3]:80', '[64:ff9b::a01:203]:80', '0.0.0.0:80', 'localhost:6379'],
]
const PROFILES = {
  web: { egress: EGRESS },
  inner: {
    egress: ['10.1.2.3:80', '127.0.0.1:6379', '[fd12:3456::1]:80', '169.254.169.254:80'],
    allow_private: ['10.1.2.0/24', 'fd12:3456::/32', '2000::/3'],
  },
  small: { egress: ['allowed.example.org:9000'], max_bytes: 300_000 },
  silent: {
    egress: ['allowed.example.org:9001'],
    max_connections: 3,
    max_total_connections: 60,
    idle_timeout_seconds: 1,
  },
  patient: { egress: ['allowed.example.org:9001', 'allowed.example.org:9000'], max_bytes: 2 ** 30 },
}

const stack = inject('stack')
const missing = await outsideWorldMissing(stack.redisUrl, stack.dockerHost)

let world: World
let outside: OutsideWorld

beforeAll(async () => {
  if (missing !== undefined) return
  world = await startWorld({ workers: 0 })
  outside = await startOutsideWorld({
    id: `isopod-${process.pid}`,
    hosts: HOSTS,
    profiles: PROFILES,
    env: {
      ...process.env,
      REDIS_URL: world.redisUrl,
      DOCKER_HOST: world.dockerHost,
      ISOPOD_QUEUE_PREFIX: world.prefix,
      ISOPOD_STACK: world.prefix,
      ISOPOD_DRAIN_SECONDS: '5',
      ISOPOD_SANDBOX_STATE_DIR: world.sandboxState,
    },
  })
})

afterAll(async () => {
  await outside?.close()
  await world?.close()
})

beforeEach((context) => {
  context.skip(missing !== undefined, missing)
  outside.seen.length = 0
  outside.seenAtHome.length = 0
})

function run(job: Partial<JobInput> & Pick<JobInput, 'code'>): Promise<Result> {
  return world.client.run({ language: 'python', network: 'web', limits: { timeoutSeconds: 60 }, ...job })
}

/** The proxy's answer for each target. */
async function dial(targets: readonly string[], network = 'web'): Promise<string[]> {
  const code = program('connect-through-proxy.py').code
  const result = await run({ code, network, stdin: JSON.stringify(targets) })
  expect(result).toMatchObject({ status: 'success', stderr: '' })
  return result.stdout.trim().split('\n')
}

/** Log lines of the worker about connections of one job. */
function logged(id: string): Record<string, unknown>[] {
  return outside.log
    .filter((line) => line.includes('"egress"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ job }) => job === id)
}

const reached = () => [...outside.seen, ...outside.seenAtHome].filter((line) => line.startsWith('reached'))

// promise: network-profiles
describe('a job with a network profile reaches its targets', () => {
  it('by CONNECT, in any spelling of the name, and by a wildcard below its domain', async () => {
    expect(
      await dial([
        'allowed.example.org:80',
        'ALLOWED.Example.ORG:80',
        'allowed.example.org.:80',
        'sub.wild.example.org:80',
      ]),
    ).toEqual(Array.from({ length: 4 }, () => '200 at 93.184.216.34:80'))
  })

  it('in IPv6, by address and by name', async () => {
    expect(
      await dial(['[2606:2800:220:1::1]:80', '[2606:2800:220:1:0::1]:80', 'six.example.org:80']),
    ).toEqual(Array.from({ length: 3 }, () => '200 at 2606:2800:220:1::1:80'))
  })

  it('by name, although the name server does not answer for other names', async () => {
    const result = await run({
      code: `import select, socket
def dial(name):
    s = socket.create_connection(("127.0.0.1", 3128))
    s.sendall(f"CONNECT {name}.example.org:80 HTTP/1.1\\r\\n\\r\\n".encode())
    return s
dead = [dial("dead") for _ in range(12)]
print(dial("named").recv(12).decode(), select.select(dead, [], [], 0)[0])
print(dead[0].recv(12).decode())`,
    })
    expect(result).toMatchObject({ stderr: '', stdout: 'HTTP/1.1 200 []\nHTTP/1.1 502\n' })
  })

  it('with the standard library of Python, over https', async () => {
    const result = await run({
      code: `import ssl, urllib.request
context = ssl._create_unverified_context()
print(urllib.request.urlopen("https://allowed.example.org/", context=context).read().decode())`,
    })
    expect(result).toMatchObject({ status: 'success', stdout: 'at 93.184.216.34:443\n' })
    expect(logged(result.id)).toMatchObject([
      { profile: 'web', target: 'allowed.example.org:443', outcome: 'allowed' },
    ])
    expect(Number(logged(result.id)[0]?.['bytesDown'])).toBeGreaterThan(100)
  })

  it('with fetch of Node, over https', async () => {
    const result = await run({
      language: 'javascript',
      code: `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const answer = await fetch('https://allowed.example.org/')
console.log(await answer.text())`,
    })
    expect(result).toMatchObject({ status: 'success', stdout: 'at 93.184.216.34:443\n' })
  })

  it('with the minimum of memory that a job may have', async () => {
    const result = await run({
      language: 'bash',
      code: `exec 3<>/dev/tcp/127.0.0.1/3128
printf 'CONNECT allowed.example.org:80 HTTP/1.1\\r\\n\\r\\n' >&3
read -r line <&3; echo "$line"`,
      limits: { memoryMb: under({ runc: 16, runsc: 32 }), diskMb: 1 },
    })
    expect(result.stdout).toMatch(/^HTTP\/1.1 200 /)
  })

  it('over a half-closed connection, which carries megabytes unchanged', async () => {
    const result = await run({
      code: `import hashlib, os, socket, threading
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"CONNECT allowed.example.org:7 HTTP/1.1\\r\\n\\r\\n")
data = os.urandom(5_000_000)
def send():
    s.sendall(data)
    s.shutdown(socket.SHUT_WR)
f = s.makefile("rb")
while f.readline().strip(): pass
threading.Thread(target=send).start()
print(f.read() == data)`,
    })
    expect(result).toMatchObject({ status: 'success', stdout: 'True\n' })
  })

  it('in a private range that the operator has opened', async () => {
    const targets = ['10.1.2.3:80', '[fd12:3456::1]:80', '127.0.0.1:6379', '169.254.169.254:80']
    expect(await dial(targets, 'inner')).toEqual([
      '200 at 10.1.2.3:80',
      '200 at fd12:3456::1:80',
      '403 127.0.0.1:6379: the address is loopback.',
      '403 169.254.169.254:80: the address is link-local.',
    ])
  })
})

/** Targets that the profile "web" refuses, and its answer. */
const REFUSED: readonly (readonly [what: string, target: string, answer: RegExp])[] = [
  ['another port', 'allowed.example.org:8080', /^403 .* not in the profile web/],
  ['another name of an allowed address', 'other.example.org:80', /^403 .* not in the profile/],
  ['the address of an allowed name', '93.184.216.34:80', /^403 .* not in the profile/],
  ['the domain of a wildcard itself', 'wild.example.org:80', /^403 .* not in the profile/],
  ['a name that only ends like one', 'xwild.example.org:80', /^403 .* not in the profile/],
  ['a name that only begins like one', 'allowed.example.org.evil.example:80', /^403 .* not in the profile/],
  ['a private address', '10.1.2.3:80', /^403 .* private/],
  ['a name with a private address', 'inner.example.org:80', /^403 .* private/],
  ['a name below a wildcard with a private address', 'own.wild.example.org:80', /^403 .* private/],
  ['the metadata of a cloud', '169.254.169.254:80', /^403 .* link-local/],
  ['the metadata of a cloud by name', 'meta.example.org:80', /^403 .* link-local/],
  ['an address shared by carriers', '100.64.1.1:80', /^403 .* shared by carriers/],
  ['loopback by name', 'loop.example.org:80', /^403 .* loopback/],
  ['loopback in IPv6', '[::1]:80', /^403 .* loopback/],
  ['the unspecified address', '0.0.0.0:80', /^403 .* unspecified/],
  ['Redis on the host', '127.0.0.1:6379', /^403 .* loopback/],
  ['Redis by name', 'localhost:6379', /^403 .* loopback/],
  ['an engine on the host', '127.0.0.1:2375', /^403 .* loopback/],
  ["the host's public address", '93.184.216.100:80', /^403 .* this host's own/],
  ["a name of the host's public address", 'own.example.org:80', /^403 .* this host's own/],
  ['a private address in IPv6', '[fd12:3456::1]:80', /^403 .* private/],
  ['a private address in IPv6 by name', 'inner-six.example.org:80', /^403 .* private/],
  ["the host's public address in IPv6", '[2606:2800:220:1::100]:80', /^403 .* this host's own/],
  ['a private address in an IPv6 one', '[::ffff:10.1.2.3]:80', /^403 .* disguise/],
  ['a private address behind NAT64', '[64:ff9b::a01:203]:80', /^403 .* disguise/],
  ['a shorter spelling of loopback', '127.1:6379', /^403 .* loopback/],
  ['a hexadecimal spelling of loopback', '0x7f000001:6379', /^403 .* loopback/],
  ['no port', 'allowed.example.org', /^400/],
  ['a path', 'allowed.example.org:80/x', /^400/],
  ['a user name in front', 'user@allowed.example.org:80', /^400/],
]

// promise: network-profiles
describe('a job with a network profile does not reach other targets', () => {
  it('the proxy refuses whatever the profile does not list, and non-public addresses in any spelling', async () => {
    const answers = await dial(REFUSED.map(([, target]) => target))
    for (const [index, [what, target, answer]] of REFUSED.entries()) {
      expect(answers[index], `${what} (${target})`).toMatch(answer)
    }
    expect(reached()).toEqual([])
  })

  it('a name with a public and a private address leads to the public one only', async () => {
    expect(await dial(['both.example.org:80'])).toEqual(['200 at 93.184.216.34:80'])
  })

  it('a name with changing addresses is resolved once per connection, and the checked address is connected', async () => {
    const answers = await dial(Array.from({ length: 6 }, () => 'rebind.example.org:80'))
    expect(new Set(answers)).toEqual(
      new Set(['200 at 93.184.216.34:80', '403 rebind.example.org:80: the address is private.']),
    )
    expect(outside.seen.filter((line) => line.startsWith('named'))).toHaveLength(6)
    expect(reached()).toEqual(Array.from({ length: 3 }, () => 'reached 93.184.216.34:80'))
  })

  it('nothing bypasses the proxy: TCP, UDP, DNS, ICMP, raw sockets', async () => {
    const targets = [
      ['93.184.216.34', 80],
      ['10.99.0.1', 6379],
      ['10.99.0.2', 53],
      ['169.254.169.254', 80],
      ['172.17.0.1', 2375],
      ['127.0.0.1', 6379],
    ]
    const code = program('around-the-proxy.py').code
    const result = await run({ code, stdin: JSON.stringify(targets) })
    expect(result).toMatchObject({ status: 'success', stderr: '' })
    // The program counts a datagram as sent even on its own loopback, where no server listens.
    expect(result.stdout.replace('udp 127.0.0.1:6379 REACHED', '')).not.toContain('REACHED')
    expect(outside.seen).toEqual([])
    expect(outside.seenAtHome).toEqual([])
  })

  it('a job does not reach another job that runs at the same time', async () => {
    const listen = `import socket, time
s = socket.create_server(("0.0.0.0", 8080)); s.settimeout(4)
try: s.accept(); print("REACHED")
except TimeoutError: print("alone")`
    const call = `import socket, time
time.sleep(1)
for host in ("127.0.0.1", "sandbox", "0.0.0.0"):
    try: socket.create_connection((host, 8080), 1); print("REACHED")
    except OSError: print("no")`
    const [listener, caller] = await Promise.all([run({ code: listen }), run({ code: call })])
    expect(listener.stdout).toBe('alone\n')
    expect(caller.stdout).toBe('no\nno\nno\n')
  })

  it('the proxy refuses every request other than CONNECT', async () => {
    const result = await run({
      code: `import socket
def ask(text):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    try:
        s.sendall(text)
        print(s.makefile("rb").readline().decode().strip())
    except OSError as error: print(type(error).__name__)
ask(b"GET http://allowed.example.org/ HTTP/1.1\\r\\nHost: allowed.example.org\\r\\n\\r\\n")
ask(b"POST http://10.1.2.3/ HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 5\\r\\n\\r\\nhello")
ask(b"GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n")
ask(b"\\x16\\x03\\x01\\x00\\x00 no http at all\\r\\n\\r\\n")
ask(b"CONNECT allowed.example.org:80 HTTP/1.1\\r\\nX: " + b"x" * 20000 + b"\\r\\n\\r\\n")`,
    })
    expect(result.stdout.split('\n').map((line) => line.split(' ')[1])).toEqual(
      expect.arrayContaining(['405', '405', '405', '400', '431']),
    )
    expect(reached()).toEqual([])
  })
})

describe('the limits of a profile', () => {
  it('count a connection once, however many requests it pipelines', async () => {
    const result = await run({
      code: `import socket
s = socket.create_connection(("127.0.0.1", 3128))
try:
    s.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n" * 2000 + b"CONNECT allowed.example.org:80 HTTP/1.1\\r\\n\\r\\n")
    while s.recv(4096): pass
except OSError: pass`,
    })
    expect(result.status).toBe('success')
    expect(logged(result.id)).toHaveLength(1)
    expect(reached()).toEqual([])
  })

  it('end a connection when the bytes of the job are used up', async () => {
    const code = `import socket
total = 0
for _ in range(3):
    s = socket.create_connection(("127.0.0.1", 3128))
    s.sendall(b"CONNECT allowed.example.org:9000 HTTP/1.1\\r\\n\\r\\n")
    try:
        while got := s.recv(65536): total += len(got)
    except ConnectionResetError: pass
print(total <= 300_100)`
    const result = await run({ code, network: 'small' })
    expect(result).toMatchObject({ status: 'success', stdout: 'True\n' })
    expect(logged(result.id)[0]).toMatchObject({ outcome: 'cut', reason: 'the job has used up its bytes' })
  })

  it('bound concurrent and total connections, and end idle ones', async () => {
    const code = `import socket
def status(s):
    try: return (s.recv(4096).decode().split(" ") + ["closed"])[1]
    except OSError: return "closed"
def dial():
    s = socket.socket()
    try:
        s.connect(("127.0.0.1", 3128))
        s.sendall(b"CONNECT allowed.example.org:9001 HTTP/1.1\\r\\n\\r\\n")
    except OSError: pass
    return s, status(s)
first = [dial() for _ in range(5)]
print([answer for _, answer in first])
print([status(s) for s, answer in first if answer == "200"])
more = [dial()[1] for _ in range(100)]
print(more.count("closed"))`
    const result = await run({ code, network: 'silent' })
    expect(result.stderr).toBe('')
    expect(result.stdout).toMatch(/^\['200', '200', '200', '429', '429'\]\n/)
    expect(logged(result.id).filter(({ outcome }) => outcome === 'cut').length).toBeGreaterThanOrEqual(1)
    expect(result.stdout.trim().split('\n').at(-1)).toBe('45')
    expect(outside.seen.filter((line) => line === 'reached 93.184.216.34:9001').length).toBeLessThanOrEqual(
      58,
    )
  })
})

describe('a worker with network profiles', () => {
  it('closes a flood of idle connections with their program, and serves the next job', async () => {
    const code = `import resource, socket
kept = []
for _ in range(10_000):
    try:
        s = socket.socket(); s.setblocking(False); s.connect_ex(("127.0.0.1", 3128)); kept.append(s)
    except OSError: kept.clear()
print("through")`
    const result = await run({ code, limits: { timeoutSeconds: 30, openFiles: 1024 } })
    expect(result).toMatchObject({ stderr: '', errorMessage: null, stdout: 'through\n' })
    expect(await dial(['allowed.example.org:80'])).toEqual(['200 at 93.184.216.34:80'])
  })

  it('delays neither output nor end of a program that reads an endless stream slowly', async () => {
    const code = `import socket, time
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"CONNECT allowed.example.org:9000 HTTP/1.1\\r\\n\\r\\n")
for n in range(5):
    print(n, flush=True); time.sleep(0.1); s.recv(1)`
    const result = await run({ code, network: 'patient' })
    expect(result).toMatchObject({ status: 'success', stdout: '0\n1\n2\n3\n4\n' })
  })

  it('closes every connection of a program when it ends', async () => {
    const code = `import os, socket, time
socks = [socket.create_connection(("127.0.0.1", 3128)) for _ in range(8)]
for s in socks: s.sendall(b"CONNECT allowed.example.org:9001 HTTP/1.1\\r\\n\\r\\n")
for s in socks: s.recv(100)
print("up", flush=True)
if os.fork() == 0: time.sleep(100)`
    const result = await run({ code, network: 'patient' })
    expect(result).toMatchObject({ stderr: '', stdout: 'up\n' })
    await expect.poll(closed, { timeout: scaled(15_000) }).toBe(8)
    expect(logged(result.id).map(({ reason }) => reason)).toEqual(
      Array.from({ length: 8 }, () => 'the job ended'),
    )
    // The connections close before the job is finished, so that `finished` is the last audit event of a job.
    const events = outside.log
      .filter((line) => line.includes(result.id))
      .map((line) => JSON.parse(line).event)
      .filter((event) => event === 'egress' || event === 'finished')
    expect(events).toEqual([...Array.from({ length: 8 }, () => 'egress'), 'finished'])
  })
})

// promise: no-network
describe('a job without a network profile', () => {
  it('has no proxy, no proxy variables and no address but loopback', async () => {
    const code = `import os, socket
print([name for name in os.environ if "PROXY" in name.upper()])
try: socket.create_connection(("127.0.0.1", 3128), 2); print("REACHED")
except ConnectionRefusedError: print("refused")`
    const result = await run({ code, network: 'none' })
    expect(result).toMatchObject({ status: 'success', stdout: '[]\nrefused\n' })
  })

  it('is refused if it asks for an unknown profile, with the names of the known ones', async () => {
    const result = await run({ code: 'print(1)', network: 'lan' })
    expect(result).toMatchObject({ status: 'validation_error' })
    expect(result.validationErrors[0]).toMatch(/"lan" is not a profile .* none, web, inner, small/)
  })
})

const closed = () => outside.seen.filter((line) => line === 'closed 9001').length
