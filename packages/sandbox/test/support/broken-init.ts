import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const NATIVE = fileURLToPath(new URL('../../../init/native', import.meta.url))

/** Whether this machine has a C compiler; without one init comes from an image. */
export const canCompile = spawnSync(process.env['CC'] ?? 'cc', ['--version']).status === 0

/** One change of init's source: file, what stands there exactly once, and what stands there instead. */
export type Defect = readonly [file: string, from: string, to: string]

/**
 * Builds an init with defects.
 *
 * @param folder an empty folder of the test's
 * @returns the folder to mount where a container expects init
 * @throws {Error} if a defect does not fit the source any more, or the compiler refuses it
 */
export async function buildBrokenInit(folder: string, defects: readonly Defect[]): Promise<string> {
  const sources = join(folder, 'native')
  await cp(NATIVE, sources, { recursive: true })
  for (const [file, from, to] of defects) {
    const path = join(sources, file)
    const parts = (await readFile(path, 'utf8')).split(from)
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`)
    await writeFile(path, parts.join(to))
  }
  await chmod(folder, 0o755)
  const compiler = spawn('sh', [join(sources, 'build.sh'), join(folder, 'init'), sources])
  const [complaint, [code]] = await Promise.all([text(compiler.stderr), once(compiler, 'close')])
  if (code !== 0) throw new Error(`init was not built: ${complaint}`)
  return folder
}
