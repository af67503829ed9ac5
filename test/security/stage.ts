import { readFileSync } from 'node:fs'
import type { JobInput, Result } from '@isopod/client'
import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type ContainmentWatch, watchContainment } from '../support/host/containment.ts'
import { type Host, watchHost } from '../support/host/host.ts'
import { type Sighting, sightingProblems } from '../support/host/sighting.ts'
import { EXPECTED, RESULT_RUNTIME, REUSE, RUNTIME } from '../support/runtime.ts'
import { startWorld, type World, type WorldOptions } from '../support/world.ts'
import type { Attack, Verdict } from './attack.ts'

/** Value of an environment variable of the worker that no program may see. */
const WORKER_SECRET = 'isopod-worker-secret-5b1c'
const TRIES = 5
/** Far more than any attack needs, also on a busy host. Attacks that are to reach their timeout set a lower one. */
const TIMEOUT_SECONDS = 90
const NOTHING = /^$/
/** Makes all attacks of a stage jobs of one batch if `TEST_REUSE` asks for it; otherwise each gets its own container. */
const SHARED = REUSE === 'batch' ? ({ reuse: 'batch', batchId: 'attacks' } as const) : {}

/** Workers, with observers of their host and of their containers. */
export interface Stage {
  readonly world: World
  readonly host: Host
  readonly containment: ContainmentWatch
  close(): Promise<void>
}

/** Starts workers, and observers of the host and of the containers. */
export async function openStage(options: WorldOptions = {}): Promise<Stage> {
  // The attacks run in a pool of the usual size.
  const env = { HOST_SECRET: WORKER_SECRET, ISOPOD_POOL_SIZE: undefined, ...options.env }
  const world = await startWorld({ ...options, env })
  const host = await watchHost(world)
  const assigned = async (job: string) =>
    (await world.log())
      .filter((line) => line['event'] === 'container_assigned' && line['job'] === job)
      .map(({ containerId, time }) => ({ container: String(containerId), at: Date.parse(String(time)) }))
  const containment = await watchContainment(world, RUNTIME, assigned)
  return {
    world,
    host,
    containment,
    async close() {
      await containment.close()
      await host.close()
      await world.close()
    },
  }
}

/** The job that runs an attack's program. */
export function jobOf(attack: Attack, stdin: string): JobInput {
  const { language, limits = {}, files, category, program } = attack
  const path = new URL(`corpus/${category}/${program}`, import.meta.url)
  const base = {
    language,
    code: readFileSync(path, 'utf8'),
    stdin,
    limits: { timeoutSeconds: TIMEOUT_SECONDS, ...limits },
    ...SHARED,
  }
  return files === undefined ? base : { ...base, files }
}

/** Runs one attack, then checks the host, the result and the container. */
export async function runAttack(stage: Stage, attack: Attack): Promise<Result> {
  const { host } = stage
  const result = await runSeen(stage, jobOf(attack, host.knowledge))
  expect(await host.findings()).toEqual([])
  expectVerdict(result, attack, host.secrets)
  await expectContained(stage, result)
  // Without reuse the next job gets a new container, so only a shared one needs this check after each attack.
  if (REUSE === 'batch') await expectHonestJob(stage)
  return result
}

/** Repeats a job until the observer has read its container, which on a busy machine can end between two readings. */
async function runSeen(stage: Stage, job: JobInput): Promise<Result> {
  for (let left = TRIES; ; left--) {
    const result = await stage.world.client.run(job)
    if (left <= 1 || (await sightingsOf(stage, result)).length > 0) return result
  }
}

/** Expects the result that the manifest names, and no secret of the host in it. */
export function expectVerdict(result: Result, attack: Attack, secrets: readonly string[] = []): void {
  const verdict = verdictOf(attack)
  const { status, says = NOTHING, ...exact } = verdict
  expect([status].flat(), shown(result)).toContain(result.status)
  expect(result, shown(result)).toMatchObject(exact)
  expect(result, shown(result)).toMatchObject({ attributable: true, attempt: 1, runtime: RESULT_RUNTIME })
  const said = [result.stdout, result.stderr, ...rawOutput(result)].join('\n')
  for (const secret of [WORKER_SECRET, ...secrets]) expect(said).not.toContain(secret)
  // The program can be wrong about its success, but each such line must be explained in the manifest (`says`).
  expect((said.match(/^ESCAPED.*/gm) ?? []).filter((line) => !says.test(line))).toEqual([])
}

/** Expects that the job's container kept its limits and namespaces, gained no privilege, and is removed. */
export async function expectContained(stage: Stage, result: Result): Promise<Sighting> {
  const [seen, ...more] = await sightingsOf(stage, result)
  if (seen === undefined) throw new Error('the host saw no container of this job')
  if (result.limitsApplied === null) throw new Error('the result has no limitsApplied')
  expect(more, 'one container a job').toEqual([])
  expect(sightingProblems(seen, result.limitsApplied)).toEqual([])
  return seen
}

/** The observations of a job's container. Only the audit log shows which jobs used a shared container. */
async function sightingsOf({ world, containment }: Stage, { id }: Result): Promise<readonly Sighting[]> {
  if (REUSE === 'never') return await containment.ofJob(id)
  const finished = await eventually(
    async () => (await world.log()).find(({ event, job }) => event === 'finished' && job === id),
    (event) => event !== undefined,
  )
  const seen = await containment.ofContainer(String(finished?.['containerId']))
  return seen === undefined ? [] : [seen]
}

/** Runs an ordinary job, and expects that it finds no file and no process of an earlier one. */
export async function expectHonestJob({ world }: Stage): Promise<void> {
  const code = 'find /workspace /tmp /dev/shm -mindepth 1; cat /proc/[0-9]*/comm; echo "$HOSTNAME"'
  const result = await world.client.run({ language: 'bash', code, ...SHARED })
  expect(result, shown(result)).toMatchObject({ status: 'success', stderr: '' })
  expect(result.stdout.split('\n').sort()).toEqual(
    ['', '/workspace/main.sh', ...EXPECTED.namesOfProcesses, 'sandbox'].sort(),
  )
}

function verdictOf({ must }: Attack): Verdict {
  if (!('runc' in must)) return must
  return RUNTIME === 'runsc' ? must.runsc : must.runc
}

function rawOutput({ raw }: Result): string[] {
  return Object.values(raw ?? {}).map((text) => Buffer.from(text ?? '', 'base64').toString('latin1'))
}

/** The fields of a result that explain a failed expectation. */
function shown({ status, exitCode, signal, errorMessage, stdout, stderr, compileOutput }: Result): string {
  const words = {
    status,
    exitCode,
    signal,
    errorMessage,
    stdout: stdout.slice(-1500),
    stderr: stderr.slice(-1500),
  }
  return JSON.stringify({ ...words, compileOutput }, null, 1)
}
