import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKOUT, type Places } from './places.ts'
import { endProcess, isRunning } from './process-identity.ts'
import type { Say } from './say.ts'
import { readRecord, updateRecord, type WorkerRecord } from './stack-record.ts'
import { startWorker, workerTrouble } from './worker-process.ts'

const STOP_GRACE_MS = 40_000
/** Settings that a worker reads once, at its start. */
const SETTING = /^(ISOPOD|SANDBOX)_(?!STATE_DIR$|DEBUG$)/

/** What a stack's workers work with. */
export interface WorkerSurroundings {
  readonly redisUrl: string
  readonly dockerHost: string
  readonly env: NodeJS.ProcessEnv
  readonly say: Say
}

/**
 * Sees to it that `count` recorded workers are ready for that Redis and that engine, built as now and set as now.
 * Workers that no longer fit are drained and stopped; those above `count` are left.
 */
export async function ensureWorkers(
  places: Places,
  count: number,
  surroundings: WorkerSurroundings,
): Promise<WorkerRecord[]> {
  const { redisUrl, dockerHost, say } = surroundings
  const settings = await settingsFingerprint(surroundings.env)
  const fitting: WorkerRecord[] = []
  for (const worker of (await readRecord(places)).workers) {
    if (await fits(worker, surroundings, settings)) fitting.push(worker)
    else await endProcess(worker.process, STOP_GRACE_MS)
  }
  await updateRecord(places, (record) => ({ ...record, workers: fitting }))
  while (fitting.length < count) {
    const log = join(places.logs, `worker-${freeNumber(fitting)}.log`)
    // A worker's own name must be unique, so the one that a user has set is only good for a worker of his own.
    const { ISOPOD_WORKER_ID: _, ...env } = surroundings.env
    const worker = await startWorker({ redisUrl, dockerHost, env, log, stack: places.id, detached: true })
    fitting.push({ process: worker.process, url: worker.url, redisUrl, dockerHost, log, settings })
    await updateRecord(places, (record) => ({
      ...record,
      workers: fitting,
      visited: [...new Set([...record.visited, dockerHost])],
    }))
    say(`started a worker (${worker.url}/metrics, log ${log})`)
  }
  return fitting
}

/** Drains and stops all recorded workers, side by side. */
export async function stopWorkers(places: Places, say: Say): Promise<void> {
  const { workers } = await readRecord(places)
  const ended = await Promise.all(workers.map((worker) => endProcess(worker.process, STOP_GRACE_MS)))
  const count = ended.filter(Boolean).length
  if (count > 0) say(count === 1 ? 'stopped the worker' : `stopped ${count} workers`)
}

async function fits(
  worker: WorkerRecord,
  { redisUrl, dockerHost }: WorkerSurroundings,
  settings: string,
): Promise<boolean> {
  return (
    worker.redisUrl === redisUrl &&
    worker.dockerHost === dockerHost &&
    worker.settings === settings &&
    isRunning(worker.process) &&
    (await workerTrouble(worker.url)) === undefined
  )
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
