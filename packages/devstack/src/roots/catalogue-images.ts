import { join } from 'node:path'
import { CHECKOUT } from '../paths.ts'
import { runCommand } from '../run-command.ts'

/** A language of the catalogue, and the image that it needs. */
export interface CatalogueImage {
  /** Name of the language, then its aliases. */
  readonly names: readonly [string, ...string[]]
  readonly image: string
}

/**
 * The images that a worker with these settings needs, in the order of its catalogue.
 *
 * @throws {SetupError} with the worker's message if its settings or its catalogue are wrong
 */
export async function catalogueImages(env: NodeJS.ProcessEnv): Promise<CatalogueImage[]> {
  const launcher = join(CHECKOUT, 'apps', 'worker', 'bin', 'isopod-worker.js')
  const lines = await runCommand([process.execPath, launcher, 'images'], { env, cwd: CHECKOUT })
  return lines.split('\n').map((line) => JSON.parse(line) as CatalogueImage)
}
