import { compileCatalogue } from '@isopod/languages'
import type { LanguageSummary } from '@isopod/protocol'
import { expect, it } from 'vitest'
import { ImageWatch } from '../../src/host/image-watch.ts'

const entry = (image: string) => ({ image, filename: 'main', command: ['x', '{filename}'] })
const catalogue = compileCatalogue({ python: entry('p:1'), ruby: entry('r:1') }, 'langs.yaml')

function watch(absent: string[], engine = { up: true }) {
  const reported: (readonly LanguageSummary[])[] = []
  const asked: (readonly string[])[] = []
  const watched = new ImageWatch({
    catalogue,
    missing: async (references) => {
      asked.push(references)
      return references.filter((reference) => absent.includes(reference))
    },
    isEngineUp: () => engine.up,
    register: async (languages) => void reported.push(languages),
  })
  return { watched, reported, asked, engine }
}

it('ImageWatch publishes the languages at the start, and again only when an image appears or disappears', async () => {
  const absent = ['r:1']
  const { watched, reported } = watch(absent)
  await watched.check()
  await watched.check()
  expect(reported.map((languages) => languages.map(({ missingImage }) => missingImage))).toEqual([
    [undefined, 'r:1'],
  ])
  absent.length = 0
  await watched.check()
  expect(reported).toHaveLength(2)
  expect(reported[1]?.some((summary) => 'missingImage' in summary)).toBe(false)
  expect(watched.missing).toEqual([])
})

it('ImageWatch keeps the last known images while the engine is down', async () => {
  const { watched, reported, asked, engine } = watch(['p:1', 'r:1'], { up: false })
  await watched.check()
  expect([asked, watched.missing]).toEqual([[], []])
  expect(reported).toHaveLength(1)
  engine.up = true
  await watched.check()
  expect(watched.missing).toEqual(['p:1', 'r:1'])
})
