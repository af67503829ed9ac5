import { setTimeout as sleep } from 'node:timers/promises'
import { IdempotencyConflictError, type JobInput, openDeadResults } from '@isopod/client'
import { startGateway } from '@isopod/devstack'
import { type Arena, REPLY_TO, type Submitter } from '../arena/arena.ts'
import { signalIfThere } from '../arena/client-process.ts'
import type { Fault } from './fault.ts'
import { times } from './redis.ts'
import { clockEnvironment } from './workers.ts'

type Gateway = Awaited<ReturnType<typeof startGateway>>

/** The gateway of an arena, while its fault lasts. */
const gateways = new WeakMap<Arena, Gateway>()

/** Arenas whose consumer refuses results. */
const refusing = new WeakSet<Arena>()
/** The submitters of an arena whose clocks are wrong. */
const submitters = new WeakMap<Arena, Submitter>()
/** Longer than a fault lasts and much shorter than the clocks are wrong. */
const EXPIRY_SECONDS = 600

/** Faults of those who submit jobs and take results. */
export const PRODUCER_FAULTS: readonly Fault[] = [
  {
    name: 'submits-race',
    title: 'each job is submitted three times at once with the same idempotency key',
    submit: async (arena, name, job, signal) => {
      await Promise.all([1, 2, 3].map(() => arena.submit(name, job, signal)))
    },
    strike: () => sleep(1000),
  },
  {
    name: 'submits-conflict',
    title:
      'each idempotency key is used for two jobs at once that differ, while connections of the client break',
    submit: async (arena, name, job, signal) => {
      const rival = { ...job, limits: { ...job.limits, memoryMb: 96 } }
      const ids = await Promise.all([job, rival].map((each) => submitOnce(arena, name, each, signal)))
      const accepted = ids.filter((id) => id !== undefined)
      for (const [index, id] of accepted.entries()) {
        // The checker reports a key with two ids.
        arena.ledger.accept(name, index === 0 ? id : `${id} for a job that differs`)
      }
    },
    strike: ({ clientLink }) => times(5, 400, async () => clientLink.breakAll()),
  },
  {
    name: 'consumer-fails',
    title: 'the handler of results rejects half of them at first',
    consume: (arena) => {
      const refused = new Set<string>()
      arena.consume(async ({ id }) => {
        if (refused.has(id) || arena.random() < 0.5) return
        refused.add(id)
        throw new Error('refused once')
      })
    },
    strike: () => sleep(1000),
  },
  {
    name: 'consumer-refuses',
    title:
      'the handler of results rejects every fifth until it is dead; the dead ones are delivered again after 8 s',
    consume: (arena) => {
      let taken = 0
      const refused = new Set<string>()
      arena.consume(async ({ id }) => {
        if (!refusing.has(arena)) return
        if (taken++ % 5 === 0) refused.add(id)
        if (refused.has(id)) throw new Error('refused')
      }, 2)
      refusing.add(arena)
    },
    strike: async (arena) => {
      await sleep(8000)
      refusing.delete(arena)
      const dead = await openDeadResults({ url: arena.redis.url, prefix: arena.name })
      // Those that were refused right before are dead by then.
      await sleep(500)
      const ids: string[] = []
      for await (const { id } of dead.list(REPLY_TO)) ids.push(id)
      for (const id of ids) await dead.redeliver(id)
      dead.close()
    },
  },
  {
    name: 'consumer-absent',
    title: 'no consumer takes results until 5 s after the first jobs have ended',
    consume: () => {},
    strike: async (arena) => {
      await sleep(5000)
      arena.consume()
    },
  },
  {
    name: 'consumer-killed',
    title: 'SIGKILL to the only consumer of results three times, another is started each time',
    consume: (arena) => void arena.startConsumer(),
    strike: (arena) =>
      times(3, 2000, async () => {
        const last = arena.consumers.at(-1)
        if (last !== undefined) signalIfThere(last.pid, 'SIGKILL')
        arena.startConsumer()
      }),
  },
  {
    name: 'consumer-frozen',
    title: 'SIGSTOP to the only consumer of results for 25 s',
    consume: (arena) => void arena.startConsumer(),
    strike: async (arena) => {
      const pid = arena.consumers[0]?.pid ?? 0
      signalIfThere(pid, 'SIGSTOP')
      await sleep(25_000)
      signalIfThere(pid, 'SIGCONT')
    },
  },
  {
    name: 'consumer-clock-ahead',
    title: 'the clock of the only consumer of results is 25 h ahead; another one is started after 5 s',
    consume: (arena) => void arena.startConsumer(clockEnvironment({ shiftMs: 25 * 3_600_000 })),
    strike: async (arena) => {
      await sleep(5000)
      arena.startConsumer()
    },
  },
  ...(['ahead', 'behind'] as const).map((direction) => ({
    name: `submitter-clock-${direction}`,
    title: `the clock of the submitter of jobs that may expire is 25 h ${direction}; another one submits each again`,
    submit: async (arena: Arena, name: string, job: JobInput, signal: AbortSignal) => {
      const shiftMs = (direction === 'ahead' ? 25 : -25) * 3_600_000
      const submitter = submitters.get(arena) ?? arena.startSubmitter(clockEnvironment({ shiftMs }))
      submitters.set(arena, submitter)
      const expiring = { ...job, expiresInSeconds: EXPIRY_SECONDS }
      await submitter(name, expiring, signal)
      await arena.submit(name, expiring, signal)
    },
    strike: () => sleep(3000),
  })),
  {
    name: 'gateway-killed',
    title: 'SIGKILL to the gateway that takes the jobs twice, started again at the same port',
    submit: submitOverHttp,
    strike: (arena) =>
      times(2, 2000, async () => {
        const gateway = await gatewayOf(arena)
        signalIfThere(gateway.process.pid, 'SIGKILL')
        await gateway.stop()
        // Threads of a killed process can hold its port for a moment.
        await sleep(500)
        await openGateway(arena, Number(new URL(gateway.url).port))
      }),
  },
]

/** Submits until the job is accepted, or its idempotency key is refused because another job has it. */
async function submitOnce(
  { client }: Arena,
  idempotencyKey: string,
  job: JobInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      return await client.submit({ ...job, replyTo: REPLY_TO, idempotencyKey })
    } catch (error) {
      if (error instanceof IdempotencyConflictError) return undefined
      await sleep(250)
    }
  }
  return undefined
}

async function submitOverHttp(arena: Arena, name: string, job: JobInput, signal: AbortSignal): Promise<void> {
  const { url } = await gatewayOf(arena)
  const body = JSON.stringify({ ...job, replyTo: REPLY_TO, idempotencyKey: name })
  const headers = { 'content-type': 'application/json' }
  while (!signal.aborted) {
    const id = await fetch(`${url}/v1/executions`, { method: 'POST', headers, body }).then(
      async (answer) => (answer.ok ? ((await answer.json()) as { id: string }).id : undefined),
      () => undefined,
    )
    if (id !== undefined) return arena.ledger.accept(name, id)
    await sleep(250)
  }
}

const opening = new WeakMap<Arena, Promise<Gateway>>()

async function gatewayOf(arena: Arena): Promise<Gateway> {
  const first = opening.get(arena) ?? openGateway(arena)
  opening.set(arena, first)
  await first
  return gateways.get(arena) ?? (await first)
}

async function openGateway(arena: Arena, port?: number): Promise<Gateway> {
  const gateway = await startGateway({
    redisUrl: `redis+unix://${arena.clientLink.path}`,
    log: `${arena.logOf(0)}.gateway`,
    ...(port !== undefined && { port }),
    env: arena.environment({ ISOPOD_QUEUE_PREFIX: arena.name }),
  })
  gateways.set(arena, gateway)
  arena.atStop(() => gateway.stop())
  return gateway
}
