import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { engineJson } from '@isopod/devstack'

const LOOK_MS = 1
/** No inode has this number. */
const SEEN = 0

/** A container that has started. */
export interface ContainerStart {
  readonly container: string
  /** '' for one of the pool. */
  readonly job: string
}

/** The folder in which an engine keeps its containers. */
export async function engineDataRoot(dockerHost: string): Promise<string> {
  const { DockerRootDir: dataRoot } = (await engineJson(dockerHost, '/info')) as { DockerRootDir: string }
  return dataRoot
}

/** Follows the engine's events of one stack. Resolves once it listens. */
export async function watchEngine(
  dockerHost: string,
  stack: string,
  onStart: (start: ContainerStart) => void,
): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`isopod.stack=${stack}`], event: ['start'] }))
  const call = request({
    socketPath: dockerHost.replace(/^unix:\/\//, ''),
    path: `/events?filters=${filters}`,
    agent: false,
  })
  const read = (line: string) => {
    const { Actor: actor } = JSON.parse(line) as { Actor: { ID: string; Attributes: Record<string, string> } }
    onStart({ container: actor.ID, job: actor.Attributes['isopod.job'] ?? '' })
  }
  await new Promise<void>((listening, fail) => {
    call.once('error', fail)
    call.once('response', (response) => {
      response.on('error', () => {})
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (text + chunk).split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) read(line)
      })
      listening()
    })
    call.end()
  })
  call.on('error', () => {})
}

/**
 * Follows the records of workers with the process driver, which are written before a program starts. A file is read again when it
 * is replaced: a place that waits for a sandbox becomes one.
 *
 * @param state the workers' directory
 */
export function watchRecords(state: string, onStart: (start: ContainerStart) => void): void {
  const records = join(state, 'records')
  /** The inode that was read last, by id. */
  const read = new Map<string, number>()
  const look = () => {
    for (const id of readdirSync(records)) {
      if (!/^[0-9a-f]{64}$/.test(id) || read.get(id) === SEEN) continue
      const file = join(records, id)
      const inode = statSync(file, { throwIfNoEntry: false })?.ino
      if (inode === undefined || inode === read.get(id)) continue
      const record = recordIn(file)
      read.set(id, record === undefined || record.isSpare ? inode : SEEN)
      if (record !== undefined && !record.isSpare) onStart({ container: id, job: record.job })
    }
  }
  look()
  // A notice of the kernel comes later than a look.
  setInterval(look, LOOK_MS)
}

function recordIn(file: string): { readonly job: string; readonly isSpare?: boolean } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
