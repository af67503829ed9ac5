import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { DRIVER } from '../runtime.ts'
import { scaled } from '../time-factor.ts'
import { initOf, processProblems, userOf } from './confinement-problems.ts'
import { type ContainerStart, engineDataRoot, watchEngine, watchRecords } from './container-starts.ts'
import type { Assignment, ContainmentQuestion, Watched } from './containment.ts'
import { type ContainerGroup, type GroupReading, groupOf } from './control-group.ts'
import { bytesOnDisk } from './engine-disk.ts'
import { newSighting, type Sighting } from './sighting.ts'

const hasEngine = DRIVER === 'docker'
/** A sandbox without an engine is gone a few milliseconds after its program has started. */
const SAMPLE_MS = hasEngine ? 20 : 1
/** While nothing but init runs in a sandbox, it is read less often: others need the time. */
const IDLE_SAMPLE_MS = 20
const DISK_EVERY = 5

const { dockerHost, stack, state, runtime } = workerData as Watched
const jobs = new Map<string, Sighting[]>()
const waiting = new Map<string, Sighting>()
const dataRoot = hasEngine ? await engineDataRoot(dockerHost) : undefined

parentPort?.on('message', async ({ id, question }: { id: number; question: ContainmentQuestion }) => {
  const sightings =
    'ofJob' in question
      ? await ofJob(question.ofJob, question.assignments)
      : ofContainer(question.ofContainer)
  parentPort?.postMessage({ id, sightings })
})
if (hasEngine) await watchEngine(dockerHost, stack, begin)
else watchRecords(state, begin)
parentPort?.postMessage('watching')

function begin({ container, job }: ContainerStart): void {
  const group = groupOf(container)
  if (group === undefined) return
  const sighting = newSighting(container, runtime)
  if (job === '') waiting.set(container, sighting)
  jobs.set(job, [...(jobs.get(job) ?? []), sighting])
  void follow(group, sighting)
}

async function ofJob(job: string, assignments: readonly Assignment[]): Promise<Sighting[]> {
  const until = Date.now() + scaled(15_000)
  const sightings = () => [
    ...(jobs.get(job) ?? []),
    ...assignments.flatMap(({ container }) => waiting.get(container) ?? []),
  ]
  while (sightings().some(({ gone }) => !gone) && Date.now() < until) await sleep(SAMPLE_MS)
  for (const { container, at } of assignments) {
    const sighting = waiting.get(container)
    if (sighting === undefined) continue
    sighting.waited = true
    // A short job can end between two readings; then only the limits of the pool were read.
    if (sighting.until <= at) waiting.delete(container)
  }
  return sightings()
}

function ofContainer(id: string): Sighting[] {
  return [...jobs.values()].flat().filter(({ container }) => container === id)
}

async function follow(group: ContainerGroup, seen: Sighting): Promise<void> {
  for (let readings = 0; ; readings++) {
    const tasks = hasEngine ? undefined : group.tasks()
    // Only init, and nothing has changed.
    const isIdle = tasks === 1 && Date.now() - seen.until < IDLE_SAMPLE_MS
    const now = isIdle ? undefined : group.read()
    if (now === undefined && !isIdle) {
      seen.gone = true
      return
    }
    if (now !== undefined) note(now, seen, readings)
    await sleep(SAMPLE_MS)
  }
}

function note(now: GroupReading, seen: Sighting, readings: number): void {
  seen.until = Date.now()
  keep(seen.limits.memory, now.memoryLimit)
  keep(seen.limits.pids, now.pidsLimit)
  keep(seen.limits.cpus, now.cpus)
  seen.memoryPeak = Math.max(seen.memoryPeak, now.memoryPeak ?? 0)
  seen.pidsPeak = Math.max(seen.pidsPeak, now.pids ?? 0)
  if (dataRoot !== undefined && readings % DISK_EVERY === 0)
    seen.diskPeak = Math.max(seen.diskPeak, bytesOnDisk(dataRoot, seen.container))
  for (const name of now.below) seen.wrong.add(`it has a control group of its own making: ${name}`)
  // Under gVisor the first process is of its own kernel, which confines the programs.
  const init = runtime === 'runsc' ? now.processes[0] : initOf(now.processes)
  if (init === undefined) return
  seen.user ??= userOf(init)
  if (runtime === 'runsc') return
  for (const problem of processProblems(now.processes, init)) seen.wrong.add(problem)
}

function keep(values: number[], value: number | undefined): void {
  if (value !== undefined && values.at(-1) !== value) values.push(value)
}
