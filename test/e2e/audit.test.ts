import type { JobInput } from '@isopod/client'
import { describe, expect, it, type TestContext } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { redisCli } from '../support/redis.ts'
import { startWorld, type World, type WorldOptions } from '../support/world.ts'

type Line = Record<string, unknown>

/** A world for one test, because the tests need different settings and run at the same time. */
async function worldOf({ onTestFinished }: TestContext, options: WorldOptions = {}): Promise<World> {
  const world = await startWorld(options)
  onTestFinished(() => world.close())
  return world
}

const SECRETS = ['secret-in-code', 'secret-in-stdin', 'secret-in-file', 'secret-in-data', 'secret-on-stdout']
const JOB: JobInput = {
  code: 'import sys; sys.stdin.read(); print("secret-" + "on-stdout") # secret-in-code',
  stdin: 'secret-in-stdin',
  files: { 'notes.txt': { content: 'secret-in-file' } },
  inputData: 'secret-in-data',
  tenant: 'acme',
}

const EVENTS = ['container_created', 'container_removed', 'finished', 'policy_decided', 'requested']

/** Waits until the container of a job is removed, then returns the job's audit lines. */
function eventsOf(world: World, id: string): Promise<Line[]> {
  return eventually(
    async () => (await world.log()).filter((line) => line['audit'] === true && line['job'] === id),
    (lines) => lines.some(({ event }) => event === 'container_removed'),
  )
}

const names = (lines: Line[]) => lines.map(({ event }) => event)

// promise: audit
describe.concurrent('the audit log', () => {
  it('has each step of an execution', async (context) => {
    const world = await worldOf(context)
    const passed = await eventsOf(world, (await world.client.run(JOB)).id)
    expect(names(passed).sort()).toEqual(EVENTS)
    expect(passed.find(({ event }) => event === 'requested')).toMatchObject({
      tenant: 'acme',
      language: 'python',
      network: 'none',
      attempt: 1,
      codeSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })

    expect(passed.find(({ event }) => event === 'policy_decided')).toMatchObject({
      policy: { mode: 'warn', rules: 'standard' },
      checked: true,
      rules: [],
      refused: false,
    })

    const slow = await world.client.run({ code: 'while True: pass', limits: { timeoutSeconds: 0.5 } })
    expect(names(await eventsOf(world, slow.id))).toContain('limit_enforced')

    const { id } = await world.client.run({ code: '1', limits: { cpus: 256 } })
    const refused = (await world.log()).filter((line) => line['audit'] === true && line['job'] === id)
    expect(names(refused)).toEqual(['requested', 'refused', 'finished'])
  })

  it('names the job that a pooled container is assigned to', async (context) => {
    const world = await worldOf(context)
    const ran = await eventually(
      () => world.client.run(JOB),
      ({ containerOrigin }) => containerOrigin === 'pool',
    )
    const events = await eventsOf(world, ran.id)
    expect(names(events).sort()).toEqual(['container_assigned', ...EVENTS.slice(1)])
    const ids = events.flatMap(({ containerId }) => (containerId === undefined ? [] : [containerId]))
    expect(new Set(ids).size).toBe(1)
    const created = (await world.log()).filter(({ event }) => event === 'container_created')
    expect(created).toContainEqual(expect.objectContaining({ containerId: ids[0], job: '', attempt: 0 }))
  })

  it('has the failures of the platform', async (context) => {
    const world = await worldOf(context, {
      env: { SANDBOX_LANGUAGE_CONFIG_FILE: 'test/fixtures/missing-image.yaml' },
    })
    const id = await world.client.submit({ language: 'absent', code: 'x' })
    const failed = await eventually(
      async () =>
        (await world.log()).filter((line) => line['event'] === 'setup_failed' && line['job'] === id),
      (lines) => lines.length > 0,
    )
    expect(failed[0]).toMatchObject({ attempt: 1, error: expect.stringContaining('isopod/absent') })
  })

  it('never contains code, input or output', async (context) => {
    const world = await worldOf(context, { env: { ISOPOD_AUDIT_STREAM_LENGTH: '1000', LOG_LEVEL: 'trace' } })
    const result = await world.client.run(JOB)
    expect(result.stdout).toBe('secret-on-stdout\n')
    await eventsOf(world, result.id)
    const records = [
      JSON.stringify(await world.log()),
      (await redisCli(world.redisUrl, 'XRANGE', `{${world.prefix}}:audit`, '-', '+')).join('\n'),
    ]
    for (const record of records) {
      expect(record).toContain('container_removed')
      for (const secret of SECRETS) expect(record).not.toContain(secret)
    }
  })

  it('contains code, stdin and output if the operator asks for them', async (context) => {
    const world = await worldOf(context, { env: { ISOPOD_AUDIT_CONTENT: 'true' } })
    const lines = await eventsOf(world, (await world.client.run(JOB)).id)
    expect(lines.find(({ event }) => event === 'requested')).toMatchObject({
      content: { code: JOB.code, stdin: JOB.stdin },
    })
    expect(lines.find(({ event }) => event === 'finished')).toMatchObject({
      content: { stdout: 'secret-on-stdout\n', stderr: '' },
    })
  })

  it('is kept in a Redis stream of bounded length if the operator asks for it', async (context) => {
    const world = await worldOf(context, { env: { ISOPOD_AUDIT_STREAM_LENGTH: '10', ISOPOD_POOL_SIZE: '0' } })
    const key = `{${world.prefix}}:audit`
    const { id } = await world.client.run(JOB)
    await eventsOf(world, id)
    const entries = (await redisCli(world.redisUrl, 'XRANGE', key, '-', '+'))
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
    expect(entries.every(({ job }) => job === id)).toBe(true)
    expect(names(entries).sort()).toEqual(EVENTS)

    await world.client.submitMany(Array.from({ length: 60 }, () => ({ code: '1', limits: { cpus: 256 } })))
    const added = await eventually(
      async () => {
        const facts = await redisCli(world.redisUrl, 'XINFO', 'STREAM', key)
        return Number(facts[facts.indexOf('entries-added') + 1])
      },
      (count) => count >= 185,
    )
    expect(added).toBe(185)
    expect(Number((await redisCli(world.redisUrl, 'XLEN', key))[0])).toBeLessThan(180)
  })
})
