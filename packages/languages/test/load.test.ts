import { execFile } from 'node:child_process'
import { truncate, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../src/load.ts'
import { MAX_DOCUMENT_BYTES } from '../src/read-document.ts'
import { catalogueFile, entry, temporaryFolder } from './support.ts'

/** Ten anchors, each of ten of the one before: ten billion texts if it were believed. */
const bomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`),
].join('\n')

describe('loadCatalogue', () => {
  it('reads YAML', async () => {
    const path = await catalogueFile(
      'perl:\n  image: debian\n  filename: a.pl\n  command: [perl, "{filename}"]\n',
    )
    expect((await loadCatalogue(path)).find('perl')?.command).toEqual(['perl', '{filename}'])
  })

  it('reads JSON, whether indented by spaces or by tabs', async () => {
    for (const indent of [0, 2, '\t']) {
      const path = await catalogueFile(JSON.stringify({ perl: entry() }, null, indent), 'languages.json')
      expect((await loadCatalogue(path)).find('perl')?.image).toBe('debian:trixie-slim')
    }
  })

  it('names the file and the reason when it cannot be read', async () => {
    const folder = await temporaryFolder()
    await expect(loadCatalogue(`${folder}/none.yaml`)).rejects.toThrow(
      /none\.yaml: .*cannot be read \(ENOENT/,
    )
    await expect(loadCatalogue(folder)).rejects.toThrow(ConfigError)
    await expect(loadCatalogue('/dev/zero')).rejects.toThrow(
      '/dev/zero: the language catalogue must be a regular file',
    )
  })

  it('does not wait for the writer of a named pipe', async () => {
    const path = `${await temporaryFolder()}/pipe`
    await promisify(execFile)('mkfifo', [path])
    await expect(loadCatalogue(path)).rejects.toThrow('must be a regular file')
  })

  it('refuses a file above 1 MiB without reading all of it', async () => {
    const path = await catalogueFile('')
    await truncate(path, 64 * MAX_DOCUMENT_BYTES)
    await expect(loadCatalogue(path)).rejects.toThrow('must be at most 1 MiB')
  })

  it('refuses text that is not UTF-8', async () => {
    const path = await catalogueFile('')
    await writeFile(path, Buffer.from([0xff, 0xfe, 0x00]))
    await expect(loadCatalogue(path)).rejects.toThrow(ConfigError)
  })

  it('says in which line the syntax breaks', async () => {
    const path = await catalogueFile('perl:\n  image: debian\n  command: [perl\n')
    await expect(loadCatalogue(path)).rejects.toThrow(/languages\.yaml: line \d: /)
  })

  it('refuses a language that is written twice', async () => {
    const path = await catalogueFile('perl: {image: a}\nperl: {image: b}\n')
    await expect(loadCatalogue(path)).rejects.toThrow(/line 2: .*unique/i)
  })

  it('refuses aliases that multiply', async () => {
    await expect(loadCatalogue(await catalogueFile(bomb))).rejects.toThrow(/alias/i)
  })

  it('refuses tags, so that no value is other than plain data', async () => {
    const path = await catalogueFile('perl: !!binary aGVsbG8=\n')
    await expect(loadCatalogue(path)).rejects.toThrow(ConfigError)
    await expect(loadCatalogue(await catalogueFile('perl: !thing {}\n'))).rejects.toThrow(ConfigError)
  })
})
