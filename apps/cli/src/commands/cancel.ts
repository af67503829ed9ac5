import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { UsageError } from '../usage-error.ts'
import { withClient } from '../with-client.ts'

/** `isopod cancel`: ends a waiting job, or asks the worker that runs it to. */
export async function cancelCommand(io: Io, services: Services, id: string): Promise<ExitCode> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    throw new UsageError(`ID: must be an id as «isopod submit» prints it, got ${JSON.stringify(id)}`)
  }
  return await withClient(io, services, async (client) => {
    const outcome = await client.cancel(id)
    switch (outcome) {
      case 'cancelled':
        await write(io.stdout, `${id} cancelled before it ran\n`)
        return EXIT.success
      case 'requested':
        await write(io.stdout, `${id} is being cancelled\n`)
        return EXIT.success
      case 'finished':
        note(io, `isopod: ${id} has already finished`)
        return EXIT.failure
      case 'unknown':
        note(io, `isopod: there is no job ${id}`)
        return EXIT.failure
      default:
        return outcome satisfies never
    }
  })
}
