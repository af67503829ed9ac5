import { type LanguageSummary, visible } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { withClient } from '../with-client.ts'

/** `isopod languages`: what the workers of this Redis can run. */
export async function languagesCommand(
  io: Io,
  services: Services,
  options: { readonly json?: boolean },
): Promise<ExitCode> {
  return await withClient(io, services, async (client) => {
    const languages = await client.languages()
    if (languages === undefined) {
      note(io, 'isopod: no worker has used this Redis yet, so its languages are not known')
      return EXIT.platform
    }
    const lines = languages.map((language) => (options.json ? jsonLine(language) : lineOf(language)))
    await write(io.stdout, lines.join(''))
    return EXIT.success
  })
}

function lineOf({ name, version, aliases, missingImage }: LanguageSummary): string {
  const absent = missingImage === undefined ? '' : `  (image ${missingImage} is not there)`
  const known = `${name.padEnd(12)} ${version.padEnd(8)} ${aliases.join(', ')}`.trimEnd()
  return `${visible(known + absent)}\n`
}
