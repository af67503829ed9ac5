import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, it, onTestFinished } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { runWorkerToExit } from '../support/ended-worker.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld } from '../support/world.ts'

const PROFILE = fileURLToPath(new URL('../../deploy/apparmor/isopod', import.meta.url))
const HAS_APPARMOR = isEnabled()
const canTry = HAS_APPARMOR && process.getuid?.() === 0 && RUNTIME !== 'runsc'

function isEnabled(): boolean {
  try {
    return readFileSync('/sys/module/apparmor/parameters/enabled', 'utf8').trim() === 'Y'
  } catch {
    return false
  }
}

/** Prints its AppArmor profile, those of its own files in /proc that it can read, and `maps` if it can read its maps. */
const READ_PROC = `
cat /proc/self/attr/current
for file in pagemap smaps smaps_rollup numa_maps net/softnet_stat; do
  for of in self thread-self; do
    (exec 3< /proc/$of/$file) 2> /dev/null && echo "read $of/$file"
  done
done
grep -c . /proc/self/maps > /dev/null && echo maps
`

/** Ordinary uses of Python, which must work under the profile. */
const ORDINARY_USE = `
import multiprocessing, socket, subprocess, tempfile, threading
if __name__ == '__main__':
    with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, 2]))
    left, right = socket.socketpair(); left.send(b'pair'); print(right.recv(4))
    server = socket.create_server(('127.0.0.1', 0)); socket.create_connection(server.getsockname()); print('tcp')
    with tempfile.NamedTemporaryFile() as file: print(file.write(b'x'))
    print(subprocess.check_output(['sh', '-c', 'sleep 9 & kill $!; wait; echo ended']))
    thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()
`

async function startWorldUnder(profile: string | undefined) {
  const world = await startWorld({ env: profile === undefined ? {} : { ISOPOD_APPARMOR_PROFILE: profile } })
  onTestFinished(() => world.close())
  return world
}

// promise: no-channels
it('under the profile a program cannot see which pages another container has mapped', async (context) => {
  skipUnlessDocker(context, 'appArmor')
  context.skip(!canTry, 'needs AppArmor, root and runc')

  await promisify(execFile)('apparmor_parser', ['--replace', PROFILE])
  const world = await startWorldUnder('isopod')
  const { stdout } = await world.client.run({ language: 'bash', code: READ_PROC })
  expect(stdout).toBe('isopod (enforce)\nmaps\n')
  expect(await world.client.run({ language: 'python', code: ORDINARY_USE })).toMatchObject({
    status: 'success',
    stderr: '',
    stdout: "[1, 2]\nb'pair'\ntcp\n1\nb'ended\\n'\nthread\n",
  })
})

it('without the profile a program can see these pages', async (context) => {
  context.skip(RUNTIME === 'runsc', 'gVisor shows programs no pages of the host')

  const world = await startWorldUnder(undefined)
  const { stdout } = await world.client.run({ language: 'bash', code: READ_PROC })
  expect(stdout).toContain('read self/pagemap\n')
  expect(stdout).toContain('read thread-self/smaps\n')
  expect(stdout).toContain('maps\n')
})

it('a worker does not start with a profile that the engine cannot apply', async (context) => {
  skipUnlessDocker(context, 'appArmor')

  const { dockerHost, redisUrl } = inject('stack')
  const { code, output } = await runWorkerToExit({
    REDIS_URL: redisUrl,
    DOCKER_HOST: dockerHost,
    ISOPOD_APPARMOR_PROFILE: 'isopod-nowhere',
  })
  expect(code).toBe(1)
  const why = HAS_APPARMOR ? 'is not loaded' : "cannot be enforced: the engine's host has no AppArmor"
  expect(output).toContain(`ISOPOD_APPARMOR_PROFILE: "isopod-nowhere" ${why}`)
  expect(output.trim().split('\n')).toHaveLength(1)
})
