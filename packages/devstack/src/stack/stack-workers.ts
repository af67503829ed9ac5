import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineService } from '../engine/engine-service.ts'
import type { Log } from '../log.ts'
import { CHECKOUT, type Paths } from '../paths.ts'
import { endProcess, isRunning } from '../process/process-identity.ts'
import { checkService } from '../process/service-process.ts'
import { startWorker } from '../process/worker-process.ts'
import { readRecord, updateRecord, type WorkerRecord } from '../stack-record.ts'
import { workerSettings } from './worker-settings.ts'

const STOP_GRACE_MS = 40_000
/** Names of a worker's settings. */
const SETTING = /^(ISOPOD|SANDBOX)_(?!STATE_DIR$|DEBUG$)/

/** Services and settings that the workers of a stack share. */
export interface StackContext {
  readonly redisUrl: string
  /** Absent with the process driver. */
  readonly engine: EngineService | undefined
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
}

/**
 * Ensures that at least `count` recorded workers run with this Redis, engine, build and settings. Stops workers that differ in
 * one of these; additional ones stay.
 */
export async function ensureWorkers(
  paths: Paths,
  count: number,
  context: StackContext,
): Promise<WorkerRecord[]> {
  const { redisUrl, engine, log } = context
  const dockerHost = engine?.dockerHost
  const workerEnv = workerSettings(engine, context.env)
  const settings = await settingsFingerprint(workerEnv)
  const fitting: WorkerRecord[] = []
  for (const worker of (await readRecord(paths)).workers) {
    if (await fits(worker, context, settings)) fitting.push(worker)
    else await endProcess(worker.process, STOP_GRACE_MS)
  }
  await updateRecord(paths, (record) => ({ ...record, workers: fitting }))
  while (fitting.length < count) {
    const logFile = join(paths.logs, `worker-${freeNumber(fitting)}.log`)
    // Ids of workers must be unique, so the user's cannot be used for several.
    const { ISOPOD_WORKER_ID: _, ...env } = workerEnv
    const worker = await startWorker({
      redisUrl,
      dockerHost,
      env,
      log: logFile,
      stack: paths.id,
      detached: true,
    })
    const { process, url } = worker
    fitting.push({ process, url, redisUrl, ...(dockerHost && { dockerHost }), log: logFile, settings })
    await updateRecord(paths, (record) => ({
      ...record,
      workers: fitting,
      visited: [...new Set([...record.visited, ...(dockerHost === undefined ? [] : [dockerHost])])],
    }))
    log(`started a worker (${worker.url}/metrics, log ${logFile})`)
    if (engine?.ours !== false && fitting.length === 1) await repeatWarnings(logFile, log)
  }
  return fitting
}

/** Drains and stops all recorded workers at the same time. */
export async function stopWorkers(paths: Paths, log: Log): Promise<void> {
  const { workers } = await readRecord(paths)
  const ended = await Promise.all(workers.map((worker) => endProcess(worker.process, STOP_GRACE_MS)))
  const count = ended.filter(Boolean).length
  if (count > 0) log(count === 1 ? 'stopped the worker' : `stopped ${count} workers`)
}

async function fits(
  worker: WorkerRecord,
  { redisUrl, engine }: StackContext,
  settings: string,
): Promise<boolean> {
  return (
    worker.redisUrl === redisUrl &&
    worker.dockerHost === engine?.dockerHost &&
    worker.settings === settings &&
    isRunning(worker.process) &&
    (await checkService(worker.url, worker.process.pid)) === undefined
  )
}

/** Repeats the first worker's warnings about its host; those of the others are the same. */
async function repeatWarnings(logFile: string, log: Log): Promise<void> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n')
  for (const line of lines.filter((text) => text.includes('"level":"warn"'))) {
    const { msg }: { msg?: unknown } = JSON.parse(line)
    log(`warning: ${String(msg)}`)
  }
}

async function settingsFingerprint(env: NodeJS.ProcessEnv): Promise<string> {
  const build = await readFile(join(CHECKOUT, 'node_modules', '.isopod-build'), 'utf8').catch(() => '')
  const set = Object.entries(env).filter(([name]) => SETTING.test(name))
  return createHash('sha256')
    .update(JSON.stringify([build, set.sort()]))
    .digest('hex')
    .slice(0, 16)
}

function freeNumber(workers: readonly WorkerRecord[]): number {
  let number = 1
  while (workers.some((worker) => worker.log.endsWith(`worker-${number}.log`))) number += 1
  return number
}
