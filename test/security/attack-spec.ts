import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedFiles, watchSharedFiles } from '../support/host/shared-files.ts'
import { DRIVER, REUSE } from '../support/runtime.ts'
import type { Category } from './attack.ts'
import { attacksOf } from './manifest/index.ts'
import { expectHonestJob, openStage, runAttack, type Stage } from './stage.ts'

/** Slots of the worker; vitest runs as many attacks at the same time. */
const CONCURRENCY = '3'

/** Runs all attacks of one category against a worker of its own, three at a time. */
export function attackSpec(category: Exclude<Category, 'channel'>): void {
  let stage: Stage
  let shared: SharedFiles | undefined
  const origins = new Set<string | undefined>()
  const attacks = attacksOf(category)

  beforeAll(async () => {
    // No exclusive retry after a timeout, because it would hold up all other attacks.
    stage = await openStage({ env: { ISOPOD_SLOTS: CONCURRENCY, ISOPOD_SECOND_RUN_SECONDS: '0' } })
    if (DRIVER === 'process') shared = watchSharedFiles(stage.world.sandboxState)
  })

  afterAll(async () => {
    await stage?.close()
  })

  // promise: attack-corpus
  describe(`${category}: a program tries to`, () => {
    for (const attack of attacks) {
      const title = `${attack.tries} (${attack.id}, ${attack.language})`
      const test = async () => void origins.add((await runAttack(stage, attack)).containerOrigin)
      it.concurrent(title, test)
    }
  })

  it(`after the attacks of ${category} a job finds a clean container`, async () => {
    await expectHonestJob(stage)
  })

  if (DRIVER === 'process') {
    it(`attacks of ${category} changed no file that all sandboxes share`, async () => {
      expect(await shared?.findings()).toEqual([])
    })
  }

  // Most jobs run in pooled containers, so the attacks must be tried in these, too.
  it(`attacks of ${category} ran in containers ${REUSE === 'batch' ? 'of earlier jobs' : 'from the pool'}`, () => {
    expect([...origins]).toContain(REUSE === 'batch' ? 'batch' : 'pool')
  })
}
