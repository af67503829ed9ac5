import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of a container on the engine's disk: log, settings, and changes to its image (overlay2). */
export function bytesOnDisk(dataRoot: string, container: string): number {
  const own = bytesBelow(join(dataRoot, 'containers', container))
  try {
    const mount = readFileSync(join(dataRoot, 'image/overlay2/layerdb/mounts', container, 'mount-id'), 'utf8')
    return own + bytesBelow(join(dataRoot, 'overlay2', mount, 'diff'))
  } catch {
    return own
  }
}

function bytesBelow(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => {
        const path = join(folder, entry.name)
        return entry.isDirectory() ? bytesBelow(path) : lstatSync(path).blocks * 512
      })
      .reduce((sum, bytes) => sum + bytes, 0)
  } catch {
    // The file or folder was removed in the meantime.
    return 0
  }
}
