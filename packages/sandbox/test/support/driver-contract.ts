import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContainerMaker } from '../../src/acquire/container-maker.ts'
import { kindOf } from '../../src/acquire/container-source.ts'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { Outcome, RunOutcome } from '../../src/contract/outcome.ts'
import type { Container, NewContainer } from '../../src/driver/container.ts'
import type { Driver } from '../../src/driver/driver.ts'
import { ImageFaultError } from '../../src/driver/faults.ts'
import type { SandboxEvent } from '../../src/driver/sandbox-events.ts'
import { fetchFile } from '../../src/execution/fetch-file.ts'
import { confinementProblems } from '../../src/execution/limits-applied.ts'
import { programRun } from '../../src/program/classified-run.ts'
import { type ProgramReport, runProgram } from '../../src/program/run-program.ts'
import { workspaceFrames } from '../../src/program/workspace.ts'
import { limits, script } from './execution.ts'

/** Opens the driver under test. Its reaper needs no second look at a missing owner. The image of {@link script} exists, `absent:1` does not. */
export type OpenDriver = (owner: string, observe: (event: SandboxEvent) => void) => Promise<Driver>

const OWNER = 'worker-of-the-contract'

/**
 * The contract of every driver, and of a sandbox on top of it. Programs use only the shell commands that the simulated driver
 * supports: `echo`, `cat`, `sleep`, `exit`.
 */
export function describeDriver(name: string, open: OpenDriver): void {
  const never = new AbortController().signal
  const events: SandboxEvent[] = []
  let driver: Driver
  let count = 0

  beforeAll(async () => {
    driver = await open(OWNER, (event) => events.push(event))
  })

  afterAll(async () => {
    await driver.close()
  })

  function execution(code: string, changes: Partial<Execution> = {}): Execution {
    return script(code, { id: `j-contract-${process.pid}-${++count}`, ...changes })
  }

  function purpose(changes: { deadline?: number } = {}) {
    const deadline = Date.now() + 600_000
    return {
      name: `isopod-contract-${process.pid}-${++count}`,
      origin: 'made',
      job: 'j',
      attempt: 1,
      deadline,
      ...changes,
    } as const
  }

  async function make(asked = execution(''), changes: { deadline?: number } = {}): Promise<NewContainer> {
    return await driver.make(kindOf(asked), purpose(changes), never)
  }

  /** Runs only an execution's program in a container, without compiling or judging. */
  function start(container: Container, asked: Execution): Promise<ProgramReport> {
    const program = programRun(asked, asked.language.command, { proxy: false })
    return runProgram(container, program, { before: workspaceFrames(asked), signal: never })
  }

  async function untilRemoved(): Promise<void> {
    while (driver.removing > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  const text = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).toString()

  describe(`the ${name} driver`, () => {
    it('reports its facts', async () => {
      await driver.ping()
      const { facts } = driver
      expect(facts.runtimes).toContain(facts.defaultRuntime)
      expect([facts.cpus, facts.memoryBytes, facts.users].every((amount) => amount > 0)).toBe(true)
      expect(facts.profiles.has('default')).toBe(true)
    })

    it('finds the digest of an image, and refuses missing images and runtimes', async () => {
      const { image } = execution('').language
      const digest = await driver.images.digest(image)
      expect(digest).not.toBe('')
      await expect(driver.images.digest('absent:1')).rejects.toBeInstanceOf(ImageFaultError)
      const { language } = execution('')
      const without = execution('', { language: { ...language, image: 'absent:1' } })
      await expect(make(without)).rejects.toBeInstanceOf(ImageFaultError)
      await expect(make(execution('', { runtime: 'absent' }))).rejects.toBeInstanceOf(ImageFaultError)
    })

    it('makes containers that are confined as requested, each with its own user', async () => {
      const [one, other] = await Promise.all([make(), make()])
      for (const container of [one, other]) {
        const { ready, user, hostLimits, isIdle, preloaded, origin } = container
        expect(confinementProblems(ready, limits(), user, hostLimits)).toEqual([])
        expect({ isIdle, preloaded, origin }).toEqual({ isIdle: true, preloaded: false, origin: 'made' })
      }
      expect(one.user.uid).not.toBe(other.user.uid)
      expect(one.id).not.toBe(other.id)
      one.destroy()
      other.destroy()
    })

    it('passes stdin to a program, and returns its output and exit code', async () => {
      const container = await make()
      const { done, stdout } = await start(
        container,
        execution('echo first\ncat\nexit 3', { stdin: 'second\n' }),
      )
      expect(text(stdout)).toBe('first\nsecond\n')
      expect(done).toMatchObject({ exitCode: 3, signal: null, limit: null, stdoutBytes: 13 })
      container.destroy()
    })

    it('ends a program at its limits of time and output', async () => {
      const container = await make()
      const late = await start(container, execution('sleep 20', { limits: limits({ timeoutSeconds: 0.2 }) }))
      expect(late.done).toMatchObject({ limit: 'timeout', exitCode: null })
      const loud = execution('echo 123456789\nsleep 20', {
        limits: limits({ outputBytes: 5, onOverflow: 'kill' }),
      })
      const { done, stdout } = await start(container, loud)
      expect(done).toMatchObject({ limit: 'output', stdoutTruncated: true })
      expect(text(stdout)).toBe('12345')
      container.destroy()
    })

    it('changes the limits of an idle container', async () => {
      const container = await make()
      const changed = { memoryMb: 64, cpus: 0.25, processes: 12 }
      await container.changeLimits(changed)
      const { user, hostLimits } = container
      expect(confinementProblems(container.ready, limits(changed), user, hostLimits)).toEqual([])
      expect(await container.readConfinement()).toEqual(container.ready)
      container.destroy()
    })

    it('resets a container, which is then clean and has no file of the program before', async () => {
      const container = await make()
      const { ready } = container
      await start(container, execution('', { files: { 'left.txt': { content: 'x', encoding: 'utf8' } } }))
      expect(Buffer.from((await fetchFile(container, 'left.txt', 10, never)) ?? []).toString()).toBe('x')
      expect(await container.reset()).toEqual({ clean: true, reason: null })
      expect(container.ready).toEqual(ready)
      expect(await fetchFile(container, 'left.txt', 10, never)).toBeUndefined()
      expect((await start(container, execution('echo again'))).done).toMatchObject({ exitCode: 0 })
      container.destroy()
    })

    it('ends the frames of a destroyed container and removes it once, however often it is destroyed', async () => {
      const container = await make()
      container.destroy()
      container.destroy()
      expect(await container.receive()).toBeUndefined()
      expect(container.isIdle).toBe(false)
      await untilRemoved()
      const of = (type: SandboxEvent['type']) =>
        events.filter(
          (event) => event.type === type && 'container' in event && event.container === container.id,
        )
      expect([of('container_created').length, of('container_removed').length]).toEqual([1, 1])
    })

    it('makes no container for an aborted signal, and rejects with its reason', async () => {
      const reason = new Error('no longer wanted')
      const kind = kindOf(execution(''))
      const made = new ContainerMaker(driver).make(kind, purpose(), AbortSignal.abort(reason))
      await expect(made).rejects.toBe(reason)
      await untilRemoved()
    })

    it('reaps only containers whose deadline has passed or whose owner is gone', async () => {
      const leases = async (owners: string[]) => new Set(owners.filter((owner) => owner === OWNER))
      await driver.reap(async () => new Set())
      const [kept] = [await make(), await make(execution(''), { deadline: Date.now() - 1 })]
      expect(await driver.reap(leases)).toBe(1)
      expect((await start(kept, execution('exit 7'))).done).toMatchObject({ exitCode: 7 })
      expect(await driver.reap(async () => new Set())).toBe(1)
      await untilRemoved()
    })
  })

  describe(`a sandbox on the ${name} driver`, () => {
    let sandbox: ContainerSandbox

    beforeAll(() => {
      sandbox = new ContainerSandbox(driver, { deployment: `contract-${process.pid}` })
    })

    const run = (asked: Execution, options = {}): Promise<Outcome> => sandbox.run(asked, options)

    it('distinguishes success, failure and timeout', async () => {
      expect(await run(execution('echo well'))).toMatchObject({ status: 'success', exitCode: 0 })
      expect(await run(execution('exit 9'))).toMatchObject({ status: 'execution_error', exitCode: 9 })
      const short = { limits: limits({ timeoutSeconds: 0.2 }) }
      expect(await run(execution('sleep 20', short))).toMatchObject({ status: 'timeout', limit: 'timeout' })
      await expect(run(execution(''), { signal: AbortSignal.abort(new Error('not now')) })).rejects.toThrow(
        'not now',
      )
    })

    it('reuses the container of a batch', async () => {
      const shared = { sharedBy: `batch-${process.pid}` }
      const first = await run(execution('echo 1', shared))
      const second = await run(execution('echo 2', shared))
      expect([first.container.origin, second.container.origin]).toEqual(['made', 'batch'])
      expect(second.container.id).toBe(first.container.id)
    })

    it('runs a program many times, each time with its own stdin and limits', async () => {
      const seen: RunOutcome[] = []
      const runs = ['one', 'two', 'three'].map((stdin, index) => ({
        stdin,
        limits: limits({ processes: 8 + index }),
      }))
      const outcome = await run(execution('cat', { runs }), {
        onRun: (each: RunOutcome) => seen.push(each) > 0,
      })
      expect(seen.map(({ stdout }) => text(stdout))).toEqual(['one', 'two', 'three'])
      expect(outcome.status).toBe('success')
    })

    it('leaves no container when it is closed, and accepts no more executions', async () => {
      await sandbox.close()
      await expect(run(execution(''))).rejects.toThrow('closing')
      expect(sandbox.counts()).toMatchObject({ running: 0, idle: 0, removing: 0 })
    })
  })
}
