import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { DockerSandbox } from '../../src/docker/docker-sandbox.ts'
import { openDockerSandbox } from '../../src/docker/open-docker-sandbox.ts'
import type { ContainerFacts } from '../../src/sandbox.ts'
import { script } from '../support/execution.ts'

const exec = promisify(execFile)
const { dockerHost } = inject('stack')
const deployment = `clearance-test-${process.pid}`
let sandbox: DockerSandbox

beforeAll(async () => {
  sandbox = await open('w1')
})

afterAll(async () => {
  await sandbox.close()
  expect(await docker('ps', '-aq', '--filter', `label=isopod.deployment=${deployment}`)).toBe('')
})

function open(owner: string): Promise<DockerSandbox> {
  const users = { first: 60_000, last: 60_255, gid: 65_534 }
  return openDockerSandbox({ address: dockerHost, allowOldRunc: true, deployment, owner, users })
}

async function docker(...args: string[]): Promise<string> {
  const { stdout } = await exec('docker', args, { env: { ...process.env, DOCKER_HOST: dockerHost } })
  return stdout.trim()
}

const job = (code: string) => script(code, { id: `j-${randomUUID()}` })

// promise: policy-enforce
describe('an execution that has to be cleared first', () => {
  it('waits in a container that nothing of it has reached', async () => {
    const clearance = Promise.withResolvers<void>()
    const there = Promise.withResolvers<ContainerFacts>()
    const run = sandbox.run(job('date +%s%N'), {
      cleared: clearance.promise,
      onContainer: there.resolve,
    })
    const { id } = await there.promise
    await sleep(300)
    const processes = (await docker('top', id, '-o', 'pid,comm')).split('\n')
    expect(processes).toHaveLength(2)
    expect(await docker('exec', id, 'ls', '-A', '/workspace')).toBe('')
    const cleared = BigInt(Date.now()) * 1_000_000n
    clearance.resolve()
    const { stdout, timings } = await run
    expect(BigInt(Buffer.from(stdout.bytes).toString().trim())).toBeGreaterThan(cleared)
    // The wait for it is nobody's time: whoever clears knows how long that took.
    expect(timings.run).toBeLessThan(timings.acquire + 300)
  })

  it.each(['before', 'after'] as const)('is refused %s its container is there', async (when) => {
    const refusal = new Error('refused')
    const clearance = Promise.withResolvers<void>()
    clearance.promise.catch(() => {})
    const controller = new AbortController()
    const run = sandbox.run(job('sleep 60'), {
      signal: controller.signal,
      cleared: clearance.promise,
      onContainer: () => {
        if (when === 'after') clearance.reject(refusal)
      },
    })
    if (when === 'before') controller.abort(refusal)
    await expect(run).rejects.toBe(refusal)
    expect(sandbox.counts().running).toBe(0)
  })

  it('does not keep the sandbox from closing', async () => {
    const there = Promise.withResolvers<ContainerFacts>()
    const own = await open('w2')
    const run = own.run(job('true'), { cleared: new Promise(() => {}), onContainer: there.resolve })
    run.catch(() => {})
    await there.promise
    await own.close()
    await expect(run).rejects.toThrow('the sandbox is closing')
  })
})
