import { readWorkerConfig } from './config.ts'
import { loadCatalogue } from './document/load-catalogue.ts'

/**
 * `isopod-worker images`: prints a JSON object per line for each language of a worker's catalogue: `names` (its name, then its
 * aliases) and `image`. Needs neither Redis nor an engine.
 */
export async function listImages(
  env: Readonly<Record<string, string | undefined>>,
  out: NodeJS.WritableStream,
): Promise<void> {
  const { languages } = await loadCatalogue(readWorkerConfig(env).catalogueFile)
  for (const { name, aliases, image } of languages) {
    out.write(`${JSON.stringify({ names: [name, ...aliases], image })}\n`)
  }
}
