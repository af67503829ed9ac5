import { IMAGES } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Execution } from '../../src/contract/execution.ts'
import { limits } from '../support/execution.ts'
import { expectNoRecords } from '../support/open-driver.ts'
import { type Modes, openModes } from '../support/preload-modes.ts'

expectNoRecords()

let modes: Modes

beforeAll(async () => {
  modes = await openModes([IMAGES.python, IMAGES.javascript])
})

afterAll(async () => {
  await modes.close()
})

async function fork(code: string, changes: Partial<Execution> = {}) {
  const outcome = await modes.run('forked', 'python', code, changes)
  return { ...outcome, text: Buffer.from(outcome.stdout.bytes).toString() }
}

/** Finds the interpreter that forked the program: the only process other than init and the program. */
const ORIGIN = `
import ctypes, os, signal, sys
origin = [int(name) for name in os.listdir('/proc') if name.isdigit() and name not in ('1', str(os.getpid()))]
assert len(origin) == 1, origin
origin = origin[0]
def attempt(what, *arguments):
    try:
        print(getattr(what, '__name__', what), what(*arguments))
    except OSError as error:
        print(getattr(what, '__name__', what), type(error).__name__)
`

describe('programs that are forks of one interpreter', () => {
  it('share one container, which every reset finds clean', async () => {
    const made = modes.containers.made
    for (let turn = 0; turn < 20; turn++) {
      const { text, container } = await fork(
        `import os; print(${turn}, os.listdir('/tmp')); open('/tmp/f', 'w')`,
      )
      expect(text).toBe(`${turn} []\n`)
      expect(container.preloaded).toBe(true)
    }
    expect(modes.containers.made).toBeLessThanOrEqual(made + 1)
  })

  it('are children of init that know their own id, by one fork each', async () => {
    const code = `
import os, signal, threading
taken = []
signal.signal(signal.SIGUSR1, lambda *_: taken.append(1))
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
assert threading.main_thread().native_id == os.getpid()
assert os.getppid() == 1 and taken == [1]
print(os.getpid())`
    const first = Number.parseInt((await fork(code)).text, 10)
    const second = Number.parseInt((await fork(code)).text, 10)
    // On other machines a fork takes two processes.
    expect(second - first).toBe(process.arch === 'x64' ? 1 : 2)
  })

  it('draw different random numbers from every generator', async () => {
    const code = `
import numpy, pandas, random, secrets, tempfile, uuid
print(numpy.random.rand(), numpy.random.default_rng().random(), random.random(), random.SystemRandom().random())
print(secrets.token_hex(8), tempfile.mktemp(), uuid.uuid4(), uuid.uuid1())`
    const [one, other] = [(await fork(code)).text.split(/\s/), (await fork(code)).text.split(/\s/)]
    expect(one).toHaveLength(9)
    expect(one.filter((word) => word !== '' && other.includes(word))).toEqual([])
  })

  it('have exactly the preloaded modules, and nothing of each other', async () => {
    const listed = 'import sys; print(*sorted(sys.modules)) # numpy'
    const { stdout } = await modes.run('plain', 'python', `import numpy\n${listed}`)
    const closure = Buffer.from(stdout.bytes).toString()
    expect((await fork(listed)).text).toBe(closure)
    await fork(
      'import numpy, json, builtins; numpy.mine = builtins.mine = json.mine = 1; numpy.seterr(all="ignore")',
    )
    const probe =
      'import numpy, json, builtins; print([hasattr(m, "mine") for m in (numpy, json, builtins)], numpy.geterr())'
    expect((await fork(probe)).text).toMatch(/^\[False, False, False\] \{'divide': 'warn'/)
  })

  it('cannot access the interpreter that forked them', async () => {
    const { text } = await fork(`${ORIGIN}
for number in (0, signal.SIGSTOP, signal.SIGKILL):
    attempt(os.kill, origin, number)
    attempt(os.killpg, origin, number)
libc = ctypes.CDLL(None, use_errno=True)
print('tgkill', libc.syscall(234, origin, origin, 9), ctypes.get_errno())
print('ptrace', libc.ptrace(16, origin, 0, 0), ctypes.get_errno())
attempt(os.pidfd_open, origin)
for name in ('mem', 'fd', 'environ', 'maps', 'cwd'):
    attempt(os.listdir if name in ('fd', 'cwd') else open, f'/proc/{origin}/{name}')
attempt(open, f'/proc/{origin}/mem', 'r+b')
attempt(open, f'/proc/{origin}/oom_score_adj', 'w')
attempt(os.sched_setaffinity, origin, {0})
attempt(os.setpriority, os.PRIO_PROCESS, origin, 19)`)
    expect(
      text.split('\n').filter((line) => line !== '' && !/PermissionError$|^(tgkill|ptrace) -1 1$/.test(line)),
    ).toEqual([])
    const { container } = await fork('print(1)')
    expect(container.preloaded).toBe(true)
  })

  it.each([
    ['ends all that it sees', 'os.kill(-1, signal.SIGKILL)'],
    ['stops all that it sees', 'os.kill(-1, signal.SIGSTOP)'],
    // Retried: on a busy host the kernel may end the interpreter only after the next program has asked for its fork, which then
    // fails with a retryable error.
  ])('lose only their container when one %s', { retry: 2 }, async (_, attack) => {
    const made = modes.containers.made
    const ended = await fork(`${ORIGIN}${attack}; print('still here')`)
    expect([ended.status, ended.text]).toEqual(['success', 'still here\n'])
    expect(await fork('print(2)')).toMatchObject({ status: 'success', text: '2\n' })
    expect(modes.containers.made).toBe(made + 1)
  })

  it('end with all processes that they started, except the interpreter', async () => {
    const { text } = await fork(`${ORIGIN}
import time
print(origin, flush=True)
# Near the limit of processes a fork fails.
try:
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            while True:
                if os.fork() == 0: time.sleep(0.001)
                else: os._exit(0)
except BlockingIOError: pass
time.sleep(0.2)`)
    const made = modes.containers.made
    const after = await fork(`${ORIGIN}print(origin)`)
    expect(after.text).toBe(text)
    expect(modes.containers.made).toBe(made)
  })

  it('may have their full number of processes, not counting the interpreter', async () => {
    const count = `
import os, time
made = 0
try:
    while True:
        if os.fork() == 0: time.sleep(9)
        made += 1
except BlockingIOError:
    print(made, flush=True)
    time.sleep(0.3)`
    const few = { limits: limits({ processes: 5 }) }
    const outcome = await fork(count, few)
    expect(outcome).toMatchObject({ text: '4\n', processesPeak: 5, limitsApplied: { processes: 5 } })
    expect((await modes.run('plain', 'python', count, few)).processesPeak).toBe(5)
  })

  it('are each held to their own memory, CPU and wall-clock limits', async () => {
    const cases = [
      ['x = bytearray(10**9)', { memoryMb: 64 }, 'memory_exceeded'],
      ['x = bytearray(4 * 10**7); print(1)', { memoryMb: 64 }, 'success'],
      ['while True: pass', { memoryMb: 64, cpuSeconds: 0.2 }, 'timeout'],
      ['while True: pass', { memoryMb: 64, timeoutSeconds: 0.3 }, 'timeout'],
      ['print(1)', { memoryMb: 64 }, 'success'],
    ] as const
    for (const [code, changes, status] of cases) {
      const outcome = await fork(`${code}\n`, { limits: limits(changes) })
      expect([code, outcome.status]).toEqual([code, status])
    }
  })
})
