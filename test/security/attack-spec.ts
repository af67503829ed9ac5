import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REUSE } from '../support/runtime.ts'
import type { Category } from './attack.ts'
import { attacksOf } from './manifest/index.ts'
import { expectHonestJob, openStage, runAttack, type Stage } from './stage.ts'

/** As many at once as the stage's worker runs. */
const AT_ONCE = '3'

/** Runs all attacks of one category against a worker of their own, three at a time. */
export function attackSpec(category: Exclude<Category, 'channel'>): void {
  let stage: Stage
  const origins = new Set<string | undefined>()
  const attacks = attacksOf(category)

  beforeAll(async () => {
    // A timeout counts at once, on a busy host too: an exclusive retry would hold up all others.
    stage = await openStage({ env: { ISOPOD_SLOTS: AT_ONCE, ISOPOD_SECOND_RUN_SECONDS: '0' } })
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

  it(`${category} leaves the next job a clean container`, async () => {
    await expectHonestJob(stage)
  })

  // Most jobs run in pooled containers, so attacks do too.
  it(`${category} was tried in containers that ${REUSE === 'batch' ? 'others had before' : 'had waited'}`, () => {
    expect([...origins]).toContain(REUSE === 'batch' ? 'batch' : 'pool')
  })
}
