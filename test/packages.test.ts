import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CHECKOUT,
  type Manifest,
  type PackedPackage,
  packPublic,
  publicPackages,
  workspaces,
} from './support/packed.ts'

const all = [...workspaces()]
const shipped = [...publicPackages()]
const read = (path: string) => readFileSync(join(CHECKOUT, path), 'utf8')

describe('each workspace', () => {
  it('names its license and the minimum version of Node', () => {
    const findings = all.filter(
      ([, { engines, license }]) => engines?.node !== '>=22.18' || license !== 'MIT',
    )
    expect(findings).toEqual([])
  })

  it('is private, except the client and its dependencies', () => {
    expect(shipped.map(([folder]) => folder)).toEqual([
      'packages/client',
      'packages/protocol',
      'packages/queue',
    ])
  })
})

describe('the root', () => {
  it('has what the build needs as dependencies, because npm run demo installs no devDependencies', () => {
    const isForBuild = (name: string) => /^(@types\/|typescript$|vite$)/.test(name)
    const manifests = [JSON.parse(read('package.json')) as Manifest, ...workspaces().values()]
    const dev = manifests.flatMap(({ devDependencies = {} }) => Object.keys(devDependencies))
    expect(dev.filter(isForBuild)).toEqual([])
    // The services' images do not get the root's dependencies, so nothing that runs may be there.
    expect(Object.keys(manifests[0]?.dependencies ?? {}).filter((name) => !isForBuild(name))).toEqual([])
  })
})

describe('each public package', () => {
  it.each(shipped)('%s has the fields that a registry needs', (folder, manifest) => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/\w/),
      keywords: expect.arrayContaining(['sandbox']),
      sideEffects: false,
      publishConfig: { access: 'public', provenance: true },
    })
    expect(manifest.exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    })
    // TypeScript takes the first condition that matches, so `types` must come first.
    expect(Object.keys(manifest.exports?.['.'] ?? {})[0]).toBe('types')
    expect(read(`${folder}/LICENSE`)).toBe(read('LICENSE'))
    expect(read(`${folder}/CHANGELOG.md`)).toContain(`## ${manifest.version}\n`)
  })

  it.each(shipped)('%s depends only on packages that a registry has', (_, { dependencies = {}, version }) => {
    const names = shipped.map(([, { name }]) => name)
    for (const [name, range] of Object.entries(dependencies)) {
      expect(range, name).toMatch(/^\^?\d+\.\d+\.\d+$/)
      if (name.startsWith('@isopod/'))
        expect({ name, range }).toEqual({ name: expect.toBeOneOf(names), range: version })
    }
  })

  it('has the same version as the others, and is released together with them', () => {
    const { fixed } = JSON.parse(read('.changeset/config.json')) as { fixed: string[][] }
    expect(fixed.map((group) => group.toSorted())).toEqual([shipped.map(([, { name }]) => name).sort()])
    expect(new Set(shipped.map(([, { version }]) => version)).size).toBe(1)
  })

  it('is all that changesets name: one that also names a private package cannot be released', () => {
    const names = shipped.map(([, { name }]) => name)
    for (const file of globSync('.changeset/*.md', { cwd: CHECKOUT })) {
      const [, head = ''] = read(file).split(/^---$/m)
      for (const [, name] of head.matchAll(/^["'](.+?)["']:/gm)) expect(names, file).toContain(name)
    }
  })
})

// promise: install
describe('a packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isopod-packed-'))
  let packed: PackedPackage[]

  beforeAll(async () => {
    packed = await packPublic(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(shipped)('%s contains its build, the mapped sources, and three pages', (at, { name }) => {
    const paths = packed.find((one) => one.name === name)?.paths ?? []
    const [code, pages] = [
      paths.filter((path) => path.includes('/')),
      paths.filter((path) => !path.includes('/')),
    ]
    expect(pages).toEqual(['LICENSE', 'README.md', 'package.json'])
    const sources = code.filter((path) => /^src\/.*\.ts$/.test(path))
    expect(sources).toContain('src/index.ts')
    const built = sources.flatMap((source) =>
      ['.d.ts', '.d.ts.map', '.js', '.js.map'].map((end) => source.replace(/^src(.*)\.ts$/, `dist$1${end}`)),
    )
    expect(code.filter((path) => !sources.includes(path))).toEqual(built.sort())
    const maps = built.filter((path) => path.endsWith('.map'))
    const named = maps.flatMap((map) => (JSON.parse(read(`${at}/${map}`)) as { sources: string[] }).sources)
    expect(
      named.map((source) => source.replace(/^(\.\.\/)+/, '')).filter((path) => !paths.includes(path)),
    ).toEqual([])
  })

  it.each(shipped)('%s contains no path of the machine that built it', (folder, { name }) => {
    const paths = packed.find((one) => one.name === name)?.paths ?? []
    const home = CHECKOUT.replace(/\/$/, '')
    expect(paths.filter((path) => read(`${folder}/${path}`).includes(`${home}/`))).toEqual([])
    expect(paths.every((path) => existsSync(join(CHECKOUT, folder, path)))).toBe(true)
  })

  it.each(shipped)('%s has no findings of publint', async (at, { name }) => {
    const tarball = readFileSync(packed.find((one) => one.name === name)?.file ?? '')
    const { messages, pkg } = await publint({
      pack: { tarball: new Uint8Array(tarball).buffer },
      strict: true,
    })
    expect(pkg['name'], at).toBe(name)
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })
})
