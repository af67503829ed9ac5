import { describe, expect, it } from 'vitest'
import { fillPrograms } from '../src/named-programs.ts'

const read = async (file: string) => `text of ${file}`

describe('programs that a catalogue names', () => {
  it('replace their references in every field that has programs', async () => {
    const document = {
      a: { script: { program: { file: 'a/script' } }, command: ['a'] },
      b: {
        input_hook: { files: { x: { file: 'b/x' }, y: 'as it is' } },
        preload: { files: { z: { file: 'b/z' } } },
      },
    }
    expect(await fillPrograms(document, read)).toEqual({
      a: { script: { program: 'text of a/script' }, command: ['a'] },
      b: {
        input_hook: { files: { x: 'text of b/x', y: 'as it is' } },
        preload: { files: { z: 'text of b/z' } },
      },
    })
    expect(document.a.script.program).toEqual({ file: 'a/script' })
  })

  it('are read only for these fields', async () => {
    const document = {
      a: { env: { file: 'a' }, preload: { files: { file: 'text' } }, script: { edits: [{ file: 'a' }] } },
    }
    expect(await fillPrograms(document, read)).toEqual(document)
  })

  it('are not read from invalid catalogues, which the validation refuses', async () => {
    for (const document of [
      null,
      'text',
      [],
      7,
      { a: null },
      { a: { script: [] } },
      { a: { preload: 'x' } },
    ]) {
      expect(await fillPrograms(document, read)).toEqual(document)
    }
    const odd = { a: { script: { program: { file: 7 } } } }
    expect(await fillPrograms(odd, read)).toEqual(odd)
  })

  it('are refused if their file cannot be read', async () => {
    const refuses = async () => {
      throw new Error('no such file')
    }
    const document = { a: { script: { program: { file: 'a/script' } } } }
    await expect(fillPrograms(document, refuses)).rejects.toThrow('no such file')
  })
})
