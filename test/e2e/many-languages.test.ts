import type { JobInput, Result } from '@isopod/client'
import { imageStates } from '@isopod/devstack'
import { sampleVerdict } from '@isopod/grading'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { languageSamples, languagesWithScripts } from '../support/language-samples.ts'
import { RUNTIME } from '../support/runtime.ts'
import { shippedCatalogue } from '../support/shipped-catalogue.ts'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

const catalogue = await shippedCatalogue()
const { dockerHost } = inject('stack')
const images = new Map((await imageStates({ dockerHost, ours: true })).map((state) => [state.tag, state]))
const samples = languageSamples()
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(() => world?.close())

function verdictOf(result: Result): string {
  const { passed, total } = result.summary ?? expect.fail(`${result.status}: ${result.errorMessage}`)
  return sampleVerdict(passed === total ? 'passed' : 'failed', result)
}

it('the samples are in at least 18 languages, including each language that can run scripts', () => {
  expect(samples.size).toBeGreaterThanOrEqual(18)
  const able = catalogue.languages.filter(({ script }) => script !== undefined).map(({ name }) => name)
  expect([...languagesWithScripts()].sort()).toEqual([...able].sort())
})

// promise: many-languages
describe.each([...samples.keys()])('samples in %s', (language) => {
  const image = images.get(catalogue.find(language)?.image ?? '')
  const modes: [string, Partial<JobInput>, number][] = [
    ['in containers of their own', {}, SOAK ? 1 : 3],
    ['in one container after each other', { reuse: 'batch', batchId: language }, 1],
  ]
  if (image === undefined || image.state === 'absent') {
    it('have their image', (context) => {
      context.skip(`image not built; npm run images -- ${image?.name ?? language}`)
    })
    return
  }
  it.each(modes)('get their verdicts %s', { timeout: scaled(300_000) }, async (_, mode, every) => {
    const all = (samples.get(language) ?? []).filter((__, index) => index % every === 0)
    const results = await Promise.all(all.map(({ job }) => world.client.run({ ...job, ...mode })))
    const wrong = all.flatMap(({ job, verdict, escapes }, index) => {
      const result = results[index] ?? expect.fail()
      const got = verdictOf(result)
      const suspicious = result.tests?.some((test) => test.suspicious !== undefined)
      // In a process of its own, a script needs no mark: the code reaches none of it.
      const isSplit = result.tests?.some(({ separation }) => separation === 'process')
      if (got === verdict && (suspicious === escapes || (isSplit && escapes))) return []
      const said = [result.errorMessage, result.compileOutput, result.stderr]
      return [{ code: job.code, verdict, got, suspicious, said }]
    })
    expect(wrong).toEqual([])
    const reused = results.some(({ containerOrigin }) => containerOrigin === 'batch')
    expect(reused).toBe(mode.reuse === 'batch' && RUNTIME !== 'runsc')
  })
})
