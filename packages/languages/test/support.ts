import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-languages-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A valid entry with a test's changes. */
export function entry(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { image: 'debian:trixie-slim', filename: 'main.pl', command: ['perl', '{filename}'], ...changes }
}
