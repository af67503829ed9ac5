import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigError } from '@isopod/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadCatalogue } from '../../src/document/load-catalogue.ts'
import { MAX_DOCUMENT_BYTES, readDocument } from '../../src/document/read-document.ts'

const read = (path: string) => readDocument(path, 'the list')

/** A folder that is removed when the test ends. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-document-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function file(content: string, name = 'list.yaml'): Promise<string> {
  const path = join(await temporaryFolder(), name)
  await writeFile(path, content)
  return path
}

/** Ten anchors, each of which repeats the one before ten times: ten billion strings if expanded. */
const bomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`),
].join('\n')

describe('a configuration file of the operator', () => {
  it('may be YAML', async () => {
    const path = await file('perl:\n  image: debian\n  command: [perl, "{filename}"]\n')
    expect(await read(path)).toEqual({ perl: { image: 'debian', command: ['perl', '{filename}'] } })
  })

  it('may be JSON, whether indented by spaces or by tabs', async () => {
    const data = { perl: { image: 'debian', command: ['perl'] } }
    for (const indent of [0, 2, '\t']) {
      expect(await read(await file(JSON.stringify(data, null, indent), 'list.json'))).toEqual(data)
    }
  })

  it('names the file and the reason when it cannot be read', async () => {
    const folder = await temporaryFolder()
    await expect(read(`${folder}/none.yaml`)).rejects.toThrow(/none\.yaml: .*cannot be read \(ENOENT/)
    await expect(read(folder)).rejects.toThrow(ConfigError)
    await expect(read('/dev/zero')).rejects.toThrow('/dev/zero: the list must be a regular file')
  })

  it('does not wait for the writer of a named pipe', async () => {
    const path = `${await temporaryFolder()}/pipe`
    await promisify(execFile)('mkfifo', [path])
    await expect(read(path)).rejects.toThrow('must be a regular file')
  })

  it('refuses a file above 1 MiB without reading all of it', async () => {
    const path = await file('')
    await truncate(path, 64 * MAX_DOCUMENT_BYTES)
    await expect(read(path)).rejects.toThrow('must be at most 1 MiB')
  })

  it('refuses text that is not UTF-8', async () => {
    const path = await file('')
    await writeFile(path, Buffer.from([0xff, 0xfe, 0x00]))
    await expect(read(path)).rejects.toThrow(ConfigError)
  })

  it('names the line of a syntax error', async () => {
    const path = await file('perl:\n  image: debian\n  command: [perl\n')
    await expect(read(path)).rejects.toThrow(/list\.yaml: line \d: /)
  })

  it('refuses a language that is written twice', async () => {
    const path = await file('perl: {image: a}\nperl: {image: b}\n')
    await expect(read(path)).rejects.toThrow(/line 2: .*unique/i)
  })

  it('refuses aliases that expand exponentially', async () => {
    await expect(read(await file(bomb))).rejects.toThrow(/alias/i)
  })

  it('refuses tags, so that every value is plain data', async () => {
    for (const value of [
      '!!binary aGVsbG8=',
      '!!set {a}',
      '!!timestamp 2001-12-14',
      '!!omap [a: 1]',
      '!thing {}',
    ]) {
      await expect(read(await file(`perl: ${value}\n`)), value).rejects.toThrow(ConfigError)
    }
  })
})

it('the language catalogue is read as such a file, and errors name it', async () => {
  expect((await loadCatalogue()).find('py')?.name).toBe('python')
  await expect(loadCatalogue('/none.yaml')).rejects.toThrow(
    '/none.yaml: the language catalogue cannot be read',
  )
  await expect(loadCatalogue(await file('perl: {}'))).rejects.toThrow(/list\.yaml: .*perl\.image/)
})

it('the language catalogue can name program files in its own folder', async () => {
  const entry = 'image: a\n  filename: main.a\n  command: [a, "{filename}"]'
  const catalogue = await file(`a:\n  ${entry}\n  script: { program: { file: programs/a } }\n`)
  await mkdir(join(dirname(catalogue), 'programs'))
  await expect(loadCatalogue(catalogue)).rejects.toThrow(
    /programs\/a: a program of .* cannot be read \(ENOENT/,
  )
  await writeFile(join(dirname(catalogue), 'programs', 'a'), '{code} {script} {report}')
  expect((await loadCatalogue(catalogue)).find('a')?.script?.program).toBe('{code} {script} {report}')
})
