import { access, constants } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Finding } from './finding.ts'

const FOLDER = fileURLToPath(new URL('../../../../packages/init/build/', import.meta.url))

/** Checks that init, the program that every container starts with, is built for this machine's processor. */
export async function inspectInit(folder: string = FOLDER): Promise<Finding> {
  const name = `isopod-init-${process.arch}`
  try {
    await access(`${folder}${name}`, constants.X_OK)
    return { state: 'ok', subject: 'init', text: name }
  } catch {
    const text = `${name} is not built; npm run setup builds it, and so do demo, up and run`
    return { state: 'absent', subject: 'init', text }
  }
}
