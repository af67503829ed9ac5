import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { shippedCatalogue } from '../../../test/support/shipped-catalogue.ts'

/** Names that a line at the top level of a program in Python or JavaScript defines. */
const DEFINED =
  /^(?:async )?(?:def|class|function\*?|const|let|var) (\w+)|^([A-Z_]\w*(?:, [A-Z_]\w*)*) = |^(?:const|let) \{([\w\s,:]+)\} =/gm

function definedNames(text: string): string[] {
  return [...text.matchAll(DEFINED)].flatMap(([, one, several, taken]) => {
    if (one !== undefined) return [one]
    return (several ?? taken ?? '').split(',').map((each) => each.split(':').at(-1)?.trim() ?? '')
  })
}

describe.each(['python', 'javascript'])('the files of one program of %s', (name) => {
  it.each(['code', 'judge'] as const)(
    'define no name twice, which would replace the first one: %s',
    async (side) => {
      const language = (await shippedCatalogue()).find(name)
      const library = language?.script?.split?.[side].library ?? ''
      const names = definedNames(library).filter((each) => each !== '')
      expect(names.length).toBeGreaterThan(50)
      expect(names.filter((each, at) => names.indexOf(each) < at)).toEqual([])
    },
  )
})

it.each(['code', 'judge'] as const)(
  'starts without the HTTP client of Node, which takes 40 ms to load: %s of javascript',
  async (side) => {
    const library = (await shippedCatalogue()).find('javascript')?.script?.split?.[side].library
    const input = `'use strict'; ((module, exports) => {${library}})(); console.log(process.moduleLoadList.join())`
    const loaded = execFileSync(process.execPath, { input, encoding: 'utf8' })
    expect(loaded).toContain('NativeModule fs')
    expect(loaded).not.toContain('undici')
  },
)
