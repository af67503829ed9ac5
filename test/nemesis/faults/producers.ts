import { setTimeout as sleep } from 'node:timers/promises'
import { startGateway } from '@isopod/devstack'
import { type Arena, REPLY_TO, signalIfThere } from '../arena/arena.ts'
import type { Fault } from './fault.ts'
import { times } from './redis.ts'
import { clockEnvironment } from './workers.ts'

type Gateway = Awaited<ReturnType<typeof startGateway>>

/** The gateway of an arena, while its fault lasts. */
const gateways = new WeakMap<Arena, Gateway>()

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
    title: 'the clock of the only consumer of results is 25 h ahead',
    consume: (arena) => void arena.startConsumer(clockEnvironment({ shiftMs: 25 * 3_600_000 })),
    strike: () => sleep(1000),
  },
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

async function submitOverHttp(
  arena: Arena,
  name: string,
  job: Parameters<Arena['submit']>[1],
  signal: AbortSignal,
): Promise<void> {
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
