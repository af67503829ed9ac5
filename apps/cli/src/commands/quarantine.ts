import { visible } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { redisUrl } from '../with-client.ts'

/** `isopod quarantine`: lists what other programs damaged in the queue. */
export async function quarantineCommand(
  io: Io,
  services: Services,
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const quarantine = await services.openQuarantine(await redisUrl(io, services), io.env)
  try {
    const entries = await quarantine.entries()
    for (const { reason, id } of entries) {
      await write(io.stdout, json ? jsonLine({ reason, id }) : `${visible(`${reason.padEnd(10)}  ${id}`)}\n`)
    }
    const counts = Object.entries(await quarantine.counts()).filter(([, count]) => count > 0)
    const total = counts.map(([reason, count]) => `${reason} ${count}`).join(', ')
    note(io, total === '' ? 'isopod: the quarantine is empty' : `isopod: since the beginning: ${total}`)
    return EXIT.success
  } finally {
    quarantine.close()
  }
}
