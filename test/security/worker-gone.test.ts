import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContainerFacts, openDockerSandbox, type Sandbox } from '@isopod/sandbox'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { script } from '../../packages/sandbox/test/support/execution.ts'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { RewritingEngine } from '../support/rewriting-engine.ts'

const { dockerHost } = inject('stack')
const deployment = `worker-gone-${randomUUID()}`
let folder: string
let engine: RewritingEngine
let sandbox: Sandbox

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-gone-'))
  // This relay changes no container; it is here because closing it cuts the connection to the engine.
  engine = new RewritingEngine(join(folder, 'engine.sock'), dockerHost.replace('unix://', ''))
  await engine.open()
  sandbox = await openDockerSandbox({
    address: engine.path,
    deployment,
    owner: 'gone',
    users: { first: 60_000, last: 60_255, gid: 65_534 },
    allowOldRunc: true,
  })
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  const left = await docker(dockerHost, 'ps', '-aq', '--filter', `label=isopod.deployment=${deployment}`)
  for (const id of left.split('\n').filter((line) => line !== '')) await docker(dockerHost, 'rm', '-f', id)
})

interface Found {
  readonly State: { readonly Status: string; readonly ExitCode: number }
  readonly RestartCount: number
}

async function found(id: string): Promise<Found | undefined> {
  const text = await docker(dockerHost, 'inspect', id).catch(() => '[]')
  return (JSON.parse(text) as Found[])[0]
}

// promise: worker-gone
it('a container whose worker is gone ends by itself, is not restarted, and keeps its exit code but no output', async (context) => {
  skipUnlessDocker(context, 'engineRestart')

  const facts = Promise.withResolvers<ContainerFacts>()
  const run = sandbox
    .run(script('sleep 20', { id: `j-${randomUUID()}` }), { onContainer: facts.resolve })
    .catch(facts.reject)
  const { id } = await facts.promise
  await engine.close()
  await run
  const ended = await eventually(
    () => found(id),
    (container) => container?.State.Status !== 'running',
  )
  // Init ends with code 3 when it loses the worker; the end of a program never gives this code.
  expect(ended).toMatchObject({ State: { Status: 'exited', ExitCode: 3 }, RestartCount: 0 })
  // An engine with a restart policy would restart the container after a moment.
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(await found(id)).toMatchObject({ State: { Status: 'exited' }, RestartCount: 0 })
  await expect(docker(dockerHost, 'logs', id)).rejects.toThrow('does not support reading')
})
