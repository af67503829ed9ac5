import { randomUUID } from 'node:crypto'
import type { Language } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shippedCatalogue } from '../../../../test/support/shipped-catalogue.ts'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import type { Execution, RunInput } from '../../src/contract/execution.ts'
import type { ExecutionOptions } from '../../src/contract/execution-options.ts'
import type { Outcome, RunOutcome } from '../../src/contract/outcome.ts'
import type { Sandbox } from '../../src/sandbox.ts'
import { limits } from '../support/execution.ts'
import { expectNoRecords, openTestDriver } from '../support/open-driver.ts'

expectNoRecords()

let sandbox: Sandbox
let languages: Record<'c' | 'python' | 'bash', Language>

beforeAll(async () => {
  const catalogue = await shippedCatalogue()
  const find = (name: string) => {
    const found = catalogue.find(name)
    if (found === undefined) throw new Error(`the catalogue has no ${name}`)
    return found
  }
  languages = { c: find('c'), python: find('python'), bash: find('bash') }
  const deployment = `series-test-${process.pid}`
  const images = Object.values(languages).map(({ image }) => image)
  sandbox = new ContainerSandbox(await openTestDriver({ deployment, owner: 'w1', images }), { deployment })
})

afterAll(() => sandbox.close())

const base = limits({ memoryMb: 64 })

interface Series {
  readonly outcome: Outcome
  readonly runs: readonly (RunOutcome & { readonly text: string })[]
}

async function series(
  language: keyof typeof languages,
  code: string,
  inputs: readonly Partial<RunInput>[],
  changes: Partial<Execution> = {},
  options: ExecutionOptions = {},
): Promise<Series> {
  const runs: Series['runs'][number][] = []
  const outcome = await sandbox.run(
    {
      id: `j-${randomUUID()}`,
      attempt: 1,
      language: languages[language],
      code,
      limits: base,
      runs: inputs.map((input) => ({ limits: base, ...input })),
      ...changes,
    },
    {
      ...options,
      onRun: async (run, index) => {
        expect(index).toBe(runs.length)
        runs.push({ ...run, text: Buffer.from(run.stdout.bytes).toString() })
        return (await options.onRun?.(run, index)) ?? true
      },
    },
  )
  return { outcome, runs }
}

const SQUARE =
  '#include <stdio.h>\nint main(void) { int n; if (scanf("%d", &n) != 1) return 1; printf("%d\\n", n * n); }\n'

describe('many runs of one program', () => {
  it('compile once, and give each run its own input, in one container', async () => {
    const inputs = Array.from({ length: 20 }, (_, n) => ({ stdin: `${n}\n` }))
    const seen: string[] = []
    const onContainer = ({ id }: { id: string }) => void seen.push(id)
    const { outcome, runs } = await series('c', SQUARE, inputs, {}, { onContainer })
    expect(runs.map(({ text, exitCode }) => [text, exitCode])).toEqual(
      inputs.map((_, n) => [`${n * n}\n`, 0]),
    )
    expect(seen).toHaveLength(1)
    expect(outcome).toMatchObject({ status: 'success', exitCode: 0, compileOutput: '' })
    expect(outcome.wallMs).toBeCloseTo(
      runs.reduce((sum, { wallMs }) => sum + (wallMs ?? 0), 0),
      5,
    )
  })

  it('each find the original workspace, whatever the run before left behind', async () => {
    const code = `
      ls -A; cat own shared; echo spoiled > shared; echo changed > main.sh; echo more > more; mkdir -p /tmp/x
      ls /tmp; (sleep 60 & disown); ls /dev/shm; touch /dev/shm/left; ps 2>/dev/null | grep -c sleep`
    const files = { shared: { content: 'shared\n', encoding: 'utf8' } } as const
    const inputs = [1, 2, 3].map(
      (n) => ({ files: { own: { content: `${n}\n`, encoding: 'utf8' } } }) as const,
    )
    const { runs } = await series('bash', code, inputs, { files })
    expect(runs.map(({ text }) => text.split('\n').slice(0, 5))).toEqual(
      [1, 2, 3].map((n) => ['main.sh', 'own', 'shared', `${n}`, 'shared']),
    )
    for (const { text } of runs) expect(text).not.toContain('left')
  })

  it('get only their own arguments and files', async () => {
    const code = 'printf "%s|" "$@"; cat extra 2>/dev/null || echo none'
    const inputs = [
      { args: ['a b', '*', ''], files: { extra: { content: 'here\n', encoding: 'utf8' } } } as const,
      { args: ['$HOME'] },
      {},
    ]
    const { runs } = await series('bash', code, inputs)
    expect(runs.map(({ text }) => text)).toEqual(['a b|*||here\n', '$HOME|none\n', '|none\n'])
  })

  it('each have their own status, whatever the status of the run before', async () => {
    const code = `
import sys
what = sys.stdin.read()
if what == 'slow':
    while True: pass
if what == 'large': x = b'x' * 200_000_000
if what == 'loud': print('x' * 100_000)
if what == 'fail': sys.exit(7)
print(what)`
    const words = ['ok', 'slow', 'large', 'ok', 'loud', 'fail', 'ok']
    const own = { ...base, outputBytes: 1000, onOverflow: 'kill' } as const
    const { outcome, runs } = await series(
      'python',
      code,
      words.map((stdin) => ({ stdin, limits: stdin === 'slow' ? { ...own, timeoutSeconds: 0.5 } : own })),
    )
    expect(runs.map(({ status }) => status)).toEqual([
      'success',
      'timeout',
      'memory_exceeded',
      'success',
      'output_exceeded',
      'execution_error',
      'success',
    ])
    expect(runs.at(-1)?.text).toBe('ok\n')
    expect(outcome).toMatchObject({ status: 'timeout', limit: 'timeout' })
  })

  it('continue in another container if a run leaves something that a reset cannot remove', async () => {
    // The kernel keeps the socket of a connection whose client closes first.
    const code = `
import socket, sys
what = sys.stdin.read()
if what == 'linger':
    server = socket.create_server(('127.0.0.1', 4444))
    client = socket.create_connection(('127.0.0.1', 4444))
    other, _ = server.accept()
    client.close()
    other.recv(1)
    other.close()
print(what)`
    const ids: string[] = []
    const options = { onContainer: ({ id }: { id: string }) => void ids.push(id) }
    const words = ['a', 'linger', 'b', 'c']
    const { outcome, runs } = await series(
      'python',
      code,
      words.map((stdin) => ({ stdin })),
      {},
      options,
    )
    expect(outcome.status).toBe('success')
    expect(runs.map(({ text }) => text)).toEqual(words.map((word) => `${word}\n`))
    expect(new Set(ids).size).toBe(2)
  })

  it('can each have their own limits of memory, CPUs and processes, and compile with the job’s', async () => {
    const code = 'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null'
    const sizes = [64, 32, 32, 96]
    const { runs } = await series(
      'bash',
      code,
      sizes.map((memoryMb) => ({ limits: { ...base, memoryMb } })),
    )
    expect(runs.map(({ text }) => Number(text) / 1024 / 1024)).toEqual(sizes)
  })

  it('can get a smaller memory limit after the reset has freed memory of the run before', async () => {
    const code = 'head -c 40000000 /dev/zero > big 2>/dev/null; echo ran'
    const large = { ...base, memoryMb: 128, diskMb: 100 }
    const small = { ...large, memoryMb: 16 }
    const inputs = [large, small, large].map((own) => ({ limits: own }))
    const ids: string[] = []
    const options = { onContainer: ({ id }: { id: string }) => void ids.push(id) }
    const { runs } = await series('bash', code, inputs, { limits: large }, options)
    expect(runs.map(({ status }) => status)).toEqual(['success', 'memory_exceeded', 'success'])
    expect(new Set(ids).size).toBe(1)
  })

  it('report no more memory than their limit, although the size of a process counts pages of the image', async () => {
    const code = `
import glob, mmap, os
maps = []
for name in sorted(glob.glob('/usr/lib/x86_64-linux-gnu/*.so*'), key=os.path.getsize)[-12:]:
    maps.append(mmap.mmap(os.open(name, os.O_RDONLY), 0, prot=mmap.PROT_READ))
    maps[-1][::4096]
print(sum(map(len, maps)))`
    const small = { ...base, memoryMb: 24 }
    // The first container reads the files, and its pages stay in memory when it has gone.
    await series('python', code, [{}])
    const { runs } = await series(
      'python',
      code,
      [small, small, small].map((own) => ({ limits: own })),
    )
    const peaks = runs.map(({ memoryPeakBytes }) => (memoryPeakBytes ?? 0) / 1024 / 1024)
    for (const { status, text } of runs)
      expect([status, Number(text) > 24 * 1024 * 1024]).toEqual(['success', true])
    expect(Math.max(...peaks)).toBeLessThanOrEqual(24)
  })

  it('exceed a memory limit that the program’s own files do not fit into, and other runs continue', async () => {
    // The initialized array makes the compiled file as large as the memory it takes.
    const code = '#include <stdio.h>\nchar big[20000000] = {1};\nint main(void) { return puts("ran") < 0; }\n'
    const large = { ...base, memoryMb: 256, diskMb: 100 }
    const inputs = [256, 32, 256].map((memoryMb) => ({ limits: { ...large, memoryMb } }))
    const { runs } = await series('c', code, inputs, { limits: large })
    expect(runs.map(({ status }) => status)).toEqual(['success', 'memory_exceeded', 'success'])
  })

  it('are not started, which is the job’s fault, if the compiler leaves something that a reset cannot remove', async () => {
    // A compile command that runs the source.
    const bash = languages.bash
    languages.bash = { ...bash, compile: ['python3', '{filename}'], image: languages.python.image }
    const code = `
import socket
server = socket.create_server(('127.0.0.1', 4444))
client = socket.create_connection(('127.0.0.1', 4444))
other, _ = server.accept()
client.close()
other.recv(1)
other.close()`
    const { outcome, runs } = await series('bash', code, [{}, {}]).finally(() => {
      languages.bash = bash
    })
    expect(runs).toEqual([])
    expect(outcome).toMatchObject({
      status: 'execution_error',
      errorMessage: expect.stringContaining('sockets'),
    })
  })

  it('start without preload if the memory of one run is too small for it', async () => {
    const inputs = [64, 16, 64].map((memoryMb) => ({ limits: { ...base, memoryMb } }))
    const { outcome, runs } = await series('python', 'print(1)', inputs, { preload: true })
    expect(outcome.container.preloaded).toBe(false)
    expect(runs.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  })

  it('stop when the caller says so, also a run that was sent ahead', async () => {
    const inputs = Array.from({ length: 10 }, () => ({ stdin: '' }))
    const { runs } = await series('bash', 'echo ran', inputs, {}, { onRun: (_, index) => index < 2 })
    expect(runs).toHaveLength(3)
  })

  it('do not start if the compiler fails', async () => {
    const { outcome, runs } = await series('c', 'int main(void) { return x; }', [{}, {}])
    expect(runs).toEqual([])
    expect(outcome.status).toBe('compile_error')
    expect(outcome.compileOutput).toContain('undeclared')
  })

  it('do not start if the compiler leaves no program', async () => {
    const { c } = languages
    languages.c = { ...c, compile: ['gcc', '-c', '-o', 'main', '{filename}'] }
    const { outcome, runs } = await series('c', SQUARE, [{}, {}]).finally(() => {
      languages.c = c
    })
    expect(runs).toEqual([])
    expect(outcome).toMatchObject({
      status: 'compile_error',
      errorMessage: expect.stringMatching(/^Compilation failed: .* \.\/main cannot be started \(EACCES\)/),
    })
  })

  it('end at once when they are cancelled', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const running = series('bash', 'sleep 1', [{}, {}, {}, {}], {}, { signal: stop.signal })
    setTimeout(() => stop.abort(reason), 1200)
    await expect(running).rejects.toBe(reason)
  })

  it('are forks of a preloaded interpreter, if the language supports it', async () => {
    const code = 'import sys\nprint(sys.stdin.read() * 2, __name__, sys.argv)\nopen("left", "w")'
    const inputs = ['a', 'b', 'c'].map((stdin) => ({ stdin }))
    const { outcome, runs } = await series('python', code, inputs, { preload: true })
    expect(outcome.container.preloaded).toBe(true)
    expect(runs.map(({ text }) => text)).toEqual(
      ['aa', 'bb', 'cc'].map((twice) => `${twice} __main__ ['main.py']\n`),
    )
  })
})
