import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probeBinary } from '@isopod/init'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { RewritingEngine } from '../../../../test/support/rewriting-engine.ts'
import { ContainerMaker } from '../../src/docker/container-maker.ts'
import { Disposer } from '../../src/docker/disposer.ts'
import { Engine } from '../../src/docker/engine.ts'
import { engineFacts } from '../../src/docker/engine-facts.ts'
import { FreshContainers } from '../../src/docker/fresh-containers.ts'
import { Images } from '../../src/docker/images.ts'
import { InitVolume } from '../../src/docker/init-volume.ts'
import { LABELS } from '../../src/docker/labels.ts'
import { removeContainersOf } from '../../src/docker/reaper.ts'
import { loadSeccompProfile } from '../../src/docker/seccomp/load.ts'
import { Users } from '../../src/docker/users.ts'
import type { CanaryFinding } from '../../src/self-test/finding.ts'
import { CANARY_IDS, selfTest } from '../../src/self-test/self-test.ts'
import { buildBrokenInit, canCompile, type Defect } from '../support/broken-init.ts'
import { SHELL } from '../support/execution.ts'
import { UnsuspectingSource } from '../support/unsuspecting-source.ts'
import { type Weakness, weaknesses } from '../support/weaknesses.ts'

const DEPLOYMENT = `sensitivity-${process.pid}`
const FIRST_USER = 60_000
/** As many ids as a worker has. */
const USERS = 256
/** A host that is busy with others holds a program back as a quota would. */
const TRIES = 3
let folder: string
let rewriting: RewritingEngine
let engine: Engine
let disposer: Disposer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-sensitivity-'))
  rewriting = new RewritingEngine(
    join(folder, 'engine.sock'),
    inject('stack').dockerHost.replace('unix://', ''),
  )
  await rewriting.open()
  engine = new Engine(rewriting.path)
  disposer = new Disposer(engine, () => {})
})

afterAll(async () => {
  await disposer?.idle()
  await removeContainersOf(engine, DEPLOYMENT, DEPLOYMENT)
  await rewriting?.close()
  await rm(folder, { recursive: true, force: true })
})

const builds = new Map<readonly Defect[], Promise<string>>()

/** A folder with such an init; each is built once. */
function brokenInit(defects: readonly Defect[]): Promise<string> {
  const known = builds.get(defects)
  if (known !== undefined) return known
  const build = mkdtemp(join(folder, 'init-')).then((empty) => buildBrokenInit(empty, defects))
  builds.set(defects, build)
  return build
}

/** Tries canaries in containers with a weakness, which nothing but the canaries is there to notice. */
async function tried(
  canaries: readonly string[],
  { change, init, users = USERS }: Partial<Weakness>,
): Promise<readonly CanaryFinding[]> {
  const source = init && (await brokenInit(init))
  rewriting.rewrite = (options) => {
    change?.(options)
    if (source === undefined) return
    options.HostConfig['Mounts'] = [{ Type: 'bind', Source: source, Target: '/isopod', ReadOnly: true }]
  }
  const facts = await engineFacts(engine)
  const labels = { [LABELS.deployment]: DEPLOYMENT, [LABELS.owner]: DEPLOYMENT }
  const maker = new ContainerMaker({
    engine,
    disposer,
    labels,
    images: new Images(engine),
    initVolume: new InitVolume(engine, facts.architecture, labels),
    users: new Users({ first: FIRST_USER, last: FIRST_USER + users - 1, gid: 65_534 }),
    observe: () => {},
    runtime: 'runc',
    runtimes: facts.runtimes,
    seccomp: await loadSeccompProfile(undefined, facts.architecture),
  })
  const { bytes } = await probeBinary(facts.architecture)
  const report = await selfTest({
    stage: { containers: new UnsuspectingSource(new FreshContainers(maker, DEPLOYMENT)) },
    kit: {
      probe: bytes,
      image: SHELL.image,
      name: `sensitivity-${randomBytes(6).toString('hex')}`,
      runtime: 'runc',
      ownProfile: true,
      users: USERS,
    },
    signal: AbortSignal.timeout(60_000),
    only: canaries,
  })
  return report.findings
}

const ALL = weaknesses(tmpdir())

it('each canary has a weakness that it must notice', () => {
  expect([...new Set(ALL.map(({ canary }) => canary))].sort()).toEqual([...CANARY_IDS].sort())
})

it('each canary holds in a container as asked, so it is the weakness that it notices below', async () => {
  const found = await tried(CANARY_IDS, {})
  expect(found.filter(({ verdict }) => verdict !== 'held')).toEqual([])
  expect(found).toHaveLength(CANARY_IDS.length)
})

// promise: self-test
for (const weakness of ALL) {
  const { canary, what, init } = weakness
  it(`canary ${canary} succeeds in a container ${what}`, async (context) => {
    context.skip(init !== undefined && !canCompile, 'the changed init needs a C compiler')

    let found: CanaryFinding | undefined
    for (let left = TRIES; left > 0 && found?.verdict !== 'succeeded'; left--) {
      ;[found] = await tried([canary], weakness)
    }
    expect(found).toMatchObject({ verdict: 'succeeded', detail: expect.stringMatching(/./) })
  })
}
