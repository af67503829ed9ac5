import { readFileSync, watch } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { engineJson } from '@isopod/devstack'

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
  signal: AbortSignal,
): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`isopod.stack=${stack}`], event: ['start'] }))
  const call = request({
    socketPath: dockerHost.replace(/^unix:\/\//, ''),
    path: `/events?filters=${filters}`,
    signal,
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

/** Follows the records of workers with the process driver. @param state their directory */
export function watchRecords(
  state: string,
  onStart: (start: ContainerStart) => void,
  signal: AbortSignal,
): void {
  const seen = new Set<string>()
  const records = join(state, 'records')
  const look = (name: string | null) => {
    if (name === null || !/^[0-9a-f]{64}$/.test(name) || seen.has(name)) return
    const record = recordIn(join(records, name))
    if (record === undefined || record.isSpare) return
    seen.add(name)
    onStart({ container: name, job: record.job })
  }
  watch(records, { signal }, (_, name) => look(name)).on('error', () => {})
}

function recordIn(file: string): { readonly job: string; readonly isSpare?: boolean } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Removed, or still being written under another name.
    return undefined
  }
}
