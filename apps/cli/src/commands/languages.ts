import { type LanguageSummary, visible } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { tableText, widthOf } from '../terminal/table.ts'
import { withClient } from '../with-client.ts'

/** `isopod languages`: lists the languages that workers offer. */
export async function languagesCommand(
  io: Io,
  services: Services,
  options: { readonly json?: boolean },
): Promise<ExitCode> {
  return await withClient(io, services, async (client) => {
    const languages = await client.languages()
    if (languages === undefined) {
      note(io, 'isopod: no worker has used this Redis yet, so no languages are known')
      return EXIT.platform
    }
    if (options.json) await write(io.stdout, languages.map(jsonLine).join(''))
    else await write(io.stdout, languageTable(languages, widthOf(io.stdout)))
    return EXIT.success
  })
}

/** One line per language: name, version, the image that a worker lacks, aliases. */
function languageTable(languages: readonly LanguageSummary[], width: number): string {
  const rows = languages.map(({ name, version, aliases, missingImage }) => [
    visible(name),
    visible(version),
    visible(missingImage ?? ''),
    visible(aliases.join(', ')),
  ])
  const columns = [
    { head: 'language' },
    { head: 'version' },
    { head: 'missing image' },
    { head: 'aliases', flexible: true },
  ]
  return tableText(columns, rows, width)
}
