import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { askEngine, checkEngine, engineJson } from '../engine/engine-api.ts'
import { endMounts, endShims } from '../engine/leftovers.ts'
import { localImages } from '../images/image-list.ts'
import { withLock } from '../lock.ts'
import type { Log } from '../log.ts'
import { type Paths, stackPaths } from '../paths.ts'
import { endProcess, isRunning } from '../process/process-identity.ts'
import { runCommand, tryCommand } from '../run-command.ts'
import { asSetupError } from '../setup-error.ts'
import { readRecord, updateRecord } from '../stack-record.ts'
import { stopWorkers } from './stack-workers.ts'

/** Options of {@link stackDown}. */
export interface DownOptions {
  /** Whether to delete the images too: of the private engine, ours on other engines, and those of the process driver. @default false */
  readonly purge?: boolean
  /** Environment with `ISOPOD_STATE_DIR`. @default process.env */
  readonly env?: NodeJS.ProcessEnv
  /** Receives one line per step. @default none */
  readonly log?: Log
}

/**
 * Stops and removes everything that `ensureStack` has started: workers, containers, volumes, engine, Redis and its data,
 * mounts, sockets. On an engine that it did not start it removes only this stack's containers and volumes. Keeps the private
 * engine's images unless `purge` is set. Idempotent.
 */
export async function stackDown(options: DownOptions = {}): Promise<void> {
  const { env = process.env, log = () => {}, purge = false } = options
  const paths = stackPaths(env)
  if (!(await exists(paths.state)) && !(await exists(paths.runtime))) return
  await asSetupError(() => withLock(paths.lock, () => takeDown(paths, { env, log, purge }), { log }))
  // Remove the state directory after the lock is released, because it contains the lock.
  if (purge) await rm(paths.state, { recursive: true, force: true })
}

async function takeDown(paths: Paths, { env, log, purge }: Required<DownOptions>): Promise<void> {
  await stopWorkers(paths, log)
  const record = await readRecord(paths)
  for (const dockerHost of record.visited.filter((host) => host !== record.engine?.dockerHost)) {
    await clearEngine(dockerHost, `{"label":["isopod.stack=${paths.id}"]}`, env)
    if (purge) await removeImages(dockerHost, env)
  }
  await stopEngine(paths, log, env)
  await clearProcesses(paths, log)
  if (record.redis && (await endProcess(record.redis.process, 10_000))) log('stopped the private Redis')
  await endMounts([paths.state, paths.runtime])
  await rm(paths.runtime, { recursive: true, force: true })
  await rm(paths.redis, { recursive: true, force: true })
  await rm(paths.scratch, { recursive: true, force: true })
  await updateRecord(paths, () => ({ workers: [], visited: [] }))
  await rm(paths.record, { force: true })
  if (purge || record.engine) await reportStore(paths, log, purge)
  await reportRoots(paths, log, purge)
}

/** Removes what workers with the process driver have left, which is nothing unless one was killed. */
async function clearProcesses({ sandboxes }: Paths, log: Log): Promise<void> {
  if (!(await exists(join(sandboxes, 'records')))) return
  const { clearSandboxes } = await import('@isopod/sandbox')
  const count = await clearSandboxes(sandboxes)
  if (count > 0) log(`removed ${count} sandboxes that a worker has left`)
  await rm(sandboxes, { recursive: true, force: true })
}

async function stopEngine(paths: Paths, log: Log, env: NodeJS.ProcessEnv): Promise<void> {
  const { engine } = await readRecord(paths)
  if (engine && isRunning(engine.dockerd)) {
    await clearEngine(engine.dockerHost, '{}', env)
    await endProcess(engine.dockerd, 20_000)
    log('stopped the private Docker engine')
  }
  if (engine) await endProcess(engine.containerd, 10_000)
  await endShims(paths)
  // The next engine would restore containers and volumes that a killed one left.
  await endMounts([paths.docker])
  for (const folder of ['containers', 'volumes']) {
    await rm(join(paths.docker, folder), { recursive: true, force: true })
  }
}

/** Removes the containers and then the volumes that match a filter. Skips an engine that does not respond. */
async function clearEngine(dockerHost: string, filters: string, env: NodeJS.ProcessEnv): Promise<void> {
  if ((await checkEngine(dockerHost, env)) !== undefined) return
  const query = `filters=${encodeURIComponent(filters)}`
  const containers = (await engineJson(dockerHost, `/containers/json?all=1&${query}`)) as { Id: string }[]
  await Promise.all(
    containers.map(({ Id }) => askEngine(dockerHost, `DELETE /containers/${Id}?force=1&v=1`, { env })),
  )
  const { Volumes } = (await engineJson(dockerHost, `/volumes?${query}`)) as {
    Volumes: { Name: string }[] | null
  }
  await Promise.all(
    (Volumes ?? []).map(({ Name }) =>
      askEngine(dockerHost, `DELETE /volumes/${encodeURIComponent(Name)}?force=1`, { env }),
    ),
  )
}

async function removeImages(dockerHost: string, env: NodeJS.ProcessEnv): Promise<void> {
  if ((await checkEngine(dockerHost, env)) !== undefined) return
  const ours = (await localImages(dockerHost)).filter((image) => image.labels['isopod.content'] !== undefined)
  for (const tag of ours.flatMap((image) => image.tags)) {
    await askEngine(dockerHost, `DELETE /images/${encodeURIComponent(tag)}`, { env })
  }
}

async function reportStore(paths: Paths, log: Log, purge: boolean): Promise<void> {
  if (!(await exists(paths.docker))) return
  if (purge) {
    for (const folder of [paths.docker, paths.containerd]) await rm(folder, { recursive: true, force: true })
    log('deleted the private engine’s image store')
    return
  }
  const text = await sizeOf(paths.docker)
  log(`kept the images for the next time (${text} in ${paths.docker}); npm run down -- --purge deletes them`)
}

/** Deletes the images and roots of the process driver if `purge` is set, else says that they stay. */
async function reportRoots(paths: Paths, log: Log, purge: boolean): Promise<void> {
  if (!(await exists(paths.buildah))) return
  if (!purge) {
    const text = await sizeOf(paths.buildah)
    log(`kept the images of buildah (${text} in ${paths.buildah}); npm run down -- --purge deletes them`)
    return
  }
  // Without root, they belong to other users of this user's namespace.
  if (process.getuid?.() !== 0) await tryCommand(['buildah', 'unshare', 'rm', '-rf', paths.buildah])
  await rm(paths.buildah, { recursive: true, force: true })
  log('deleted the images of buildah')
}

async function sizeOf(folder: string): Promise<string> {
  const size = await runCommand(['du', '-sh', folder]).catch(() => '')
  return size.split('\t')[0] || 'unknown size'
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
