import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { type Attack, CATEGORIES } from './attack.ts'
import { BETWEEN_JOBS } from './manifest/between-jobs.ts'
import { attacksOf } from './manifest/index.ts'

const attacks: readonly Attack[] = CATEGORIES.flatMap((category) => attacksOf(category))
const corpus = fileURLToPath(new URL('corpus', import.meta.url))

afterAll(() => {
  const known = attacks.filter((attack) => attack.known !== undefined)
  const counts = CATEGORIES.map((category) => `${category} ${attacksOf(category).length}`)
  counts.push(`between-jobs ${BETWEEN_JOBS.length}`)
  console.log(
    `attacks: ${counts.join(', ')}; ${attacks.length + BETWEEN_JOBS.length} in all, ${known.length} known to work`,
  )
})

// promise: attack-corpus
describe('the manifest of attacks', () => {
  it('lists every program of the corpus once, and no other', () => {
    const named = attacks.map(({ category, program }) => `${category}/${program}`)
    named.push(...BETWEEN_JOBS.map(({ program }) => `between-jobs/${program}`))
    expect(named.toSorted()).toEqual(globSync('*/*', { cwd: corpus }).toSorted())
  })

  it('has ids that are unique', () => {
    const names = attacks.map(({ id }) => id)
    expect(names).toHaveLength(new Set(names).size)
  })

  it('names for each attack what it tries, its source and its observers', () => {
    for (const { tries, source, proof } of attacks) {
      expect([tries, source].every((text) => text.length > 2)).toBe(true)
      expect(proof.length).toBeGreaterThan(0)
    }
  })

  it('has at least 80 attacks, and at least 12 in each of four languages', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(80)
    for (const language of ['python', 'javascript', 'bash', 'c']) {
      expect(attacks.filter((attack) => attack.language === language).length).toBeGreaterThanOrEqual(12)
    }
  })
})
