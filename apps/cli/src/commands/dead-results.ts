import type { DeadResults } from '@isopod/client'
import { visible } from '@isopod/protocol'
import { EXIT, type ExitCode, UsageError } from '@isopod/service-kit'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { redisUrl } from '../with-client.ts'

interface DeadResultsOptions {
  readonly replyTo?: string
  readonly json?: boolean
}

/** `isopod results dead`: lists results that their consumers could not handle. */
export async function listDeadResults(
  io: Io,
  services: Services,
  { replyTo, json }: DeadResultsOptions,
): Promise<ExitCode> {
  return await withDeadResults(io, services, async (dead) => {
    let count = 0
    for await (const { givenUpAt, ...result } of dead.list(replyTo)) {
      count += 1
      const when = new Date(givenUpAt).toISOString()
      const { id, replyTo: queue, deliveries, error } = result
      const line = `${id}  ${queue}  ${when.slice(0, 19)}  deliveries ${deliveries}  ${error}`
      await write(io.stdout, json ? jsonLine({ ...result, givenUpAt: when }) : `${visible(line)}\n`)
    }
    if (count === 0) note(io, 'isopod: no dead results')
    return EXIT.success
  })
}

/** `isopod results redeliver`: delivers dead results again. */
export async function redeliverResults(
  io: Io,
  services: Services,
  ids: readonly string[],
  { all = false, replyTo, json }: DeadResultsOptions & { readonly all?: boolean },
): Promise<ExitCode> {
  if (all === ids.length > 0) throw new UsageError('results redeliver: must have ids or --all')
  return await withDeadResults(io, services, async (dead) => {
    const wanted = [...ids]
    if (all) for await (const { id } of dead.list(replyTo)) wanted.push(id)
    let revived = 0
    for (const id of wanted) {
      const isRevived = await dead.redeliver(id)
      if (isRevived) revived += 1
      if (json) await write(io.stdout, jsonLine({ id, redelivered: isRevived }))
      else if (!isRevived) note(io, `isopod: ${id} has no dead result, or it has expired`)
    }
    if (!json) note(io, `isopod: delivering ${revived} of ${wanted.length} results again`)
    return revived === wanted.length ? EXIT.success : EXIT.failure
  })
}

async function withDeadResults(
  io: Io,
  services: Services,
  use: (dead: DeadResults) => Promise<ExitCode>,
): Promise<ExitCode> {
  const dead = await services.openDeadResults(await redisUrl(io, services), io.env)
  try {
    return await use(dead)
  } finally {
    dead.close()
  }
}
