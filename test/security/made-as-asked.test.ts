import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContainerFacts, openDockerSandbox, type Sandbox } from '@isopod/sandbox'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { script } from '../../packages/sandbox/test/support/execution.ts'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { docker } from '../support/engine.ts'
import { RewritingEngine } from '../support/rewriting-engine.ts'

const { dockerHost } = inject('stack')
let folder: string
let engine: RewritingEngine
let sandbox: Sandbox

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-asked-'))
  engine = new RewritingEngine(join(folder, 'engine.sock'), dockerHost.replace('unix://', ''))
  await engine.open()
  sandbox = await openDockerSandbox({
    address: engine.path,
    deployment: randomUUID(),
    owner: 'as-asked',
    users: { first: 60_000, last: 60_255, gid: 65_534 },
    allowOldRunc: true,
  })
})

afterAll(async () => {
  await sandbox?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

interface Made {
  readonly Config: Record<string, unknown> & { readonly Env: readonly string[] | null }
  readonly HostConfig: Record<string, unknown>
}

/** Options that would weaken the isolation of a container and that no container may have. */
const NEVER = [
  'Binds',
  'CapAdd',
  'Devices',
  'DeviceRequests',
  'PidMode',
  'UTSMode',
  'VolumesFrom',
  'GroupAdd',
]

function isNothing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || value === 0 || value === false || isEmpty(value)
  )
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Paths at which `made` differs from `asked`. An engine treats empty, null and absent the same, so they count as equal. */
function differences(asked: unknown, made: unknown, path: string): string[] {
  if (isNothing(asked)) return isNothing(made) ? [] : [`${path}: ${JSON.stringify(made)}`]
  if (typeof asked !== 'object' || asked === null) return asked === made ? [] : [`${path}: ${String(made)}`]
  if (Array.isArray(asked) && Array.isArray(made) && asked.length !== made.length) return [`${path}: length`]
  return Object.entries(asked).flatMap(([key, value]) =>
    differences(value, (made as Record<string, unknown> | null | undefined)?.[key], `${path}.${key}`),
  )
}

/** Inspects the container of a running program, then ends it. */
async function inspected(): Promise<{ made: Made; image: Made }> {
  const stop = new AbortController()
  const facts = Promise.withResolvers<ContainerFacts>()
  const run = sandbox
    .run(script('sleep 20', { id: `j-${randomUUID()}` }), { signal: stop.signal, onContainer: facts.resolve })
    .catch(facts.reject)
  const { id: container, imageDigest } = await facts.promise
  const [made] = JSON.parse(await docker(dockerHost, 'inspect', container)) as [Made]
  const [image] = JSON.parse(await docker(dockerHost, 'inspect', imageDigest)) as [Made]
  stop.abort(new Error('seen enough'))
  await run
  return { made, image }
}

// promise: made-as-asked
it('the engine makes each container with every flag that the worker asked for, and with no weakening one', async (context) => {
  skipUnlessDocker(context, 'engineRecord')

  const { made, image } = await inspected()
  const [asked] = engine.asked
  const { HostConfig, Env, NetworkingConfig: _, name: __, ...config } = asked ?? { HostConfig: {} }
  expect(Object.keys(HostConfig).length).toBeGreaterThan(15)
  expect([
    ...differences(config, made.Config, 'Config'),
    ...differences(HostConfig, made.HostConfig, 'HostConfig'),
  ]).toEqual([])
  // The engine adds the variables of the image, which init does not pass on to the program.
  const images = image.Config.Env ?? []
  expect(made.Config.Env?.filter((variable) => !images.includes(variable)) ?? []).toEqual(Env ?? [])
  expect(NEVER.filter((flag) => !isNothing(made.HostConfig[flag]))).toEqual([])
})
