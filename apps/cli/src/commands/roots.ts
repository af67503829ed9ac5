import type { CatalogueImage, MadeRoot, StoredRoot } from '@isopod/devstack'
import { imageRemedy, visible } from '@isopod/protocol'
import { EXIT, type ExitCode, errorCode, UsageError } from '@isopod/service-kit'
import { answeringEngine } from '../engine-of.ts'
import { type Io, note, write } from '../io.ts'
import { damageText } from '../root-damage.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { tableText, widthOf } from '../terminal/table.ts'
import { ageText, memoryText } from '../terminal/units.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Digits of a digest in a table. */
const DIGEST_DIGITS = 12
/** Differences that are shown of one root; `--json` has all. */
const MAX_DIFFERENCES = 20

/** `isopod roots`: lists the roots of this host. */
export async function listRoots(io: Io, services: Services, { json }: JsonOption): Promise<ExitCode> {
  const roots = await (await services.openRoots(io.env)).list()
  if (json) await write(io.stdout, roots.map(rootLine).join(''))
  else if (roots.length === 0) note(io, 'isopod: there are no roots; "isopod roots make" makes them')
  else await write(io.stdout, rootTable(roots, widthOf(io.stdout)))
  return EXIT.success
}

/**
 * `isopod roots make`: makes roots of the catalogue's images, from the engine that answers or without one. Without names it leaves out
 * images that the engine lacks; without an engine it builds the usual ones.
 */
export async function makeRoots(
  io: Io,
  services: Services,
  names: readonly string[],
  { json }: JsonOption,
): Promise<ExitCode> {
  const images = wantedImages(await services.catalogueImages(io.env), names)
  const engine = await answeringEngine(io, services)
  if (engine === undefined)
    return await buildImageRoots(io, services, names.length > 0 ? images : undefined, json)
  const log = (line: string) => note(io, `isopod: ${line}`)
  log(`taking images from the engine at ${engine.dockerHost}`)
  let made = 0
  for (const image of images) {
    try {
      const root = await services.makeRoot(engine, image, { env: io.env, log })
      if (await showMade(io, services, root, json)) made += 1
    } catch (error) {
      if (errorCode(error) !== 'image_absent') throw error
      note(io, `isopod: the engine lacks image ${image}; ${imageRemedy(image)}`)
    }
  }
  return made === 0 || (names.length > 0 && made < images.length) ? EXIT.platform : EXIT.success
}

/** Makes roots without an engine. @param images those that were asked for, else the usual ones */
async function buildImageRoots(
  io: Io,
  services: Services,
  images: readonly string[] | undefined,
  json: boolean | undefined,
): Promise<ExitCode> {
  const { IMAGE_NAMES, IMAGES, USUAL_IMAGES } = await import('@isopod/devstack')
  const log = (line: string) => note(io, `isopod: ${line}`)
  const wanted = images?.map((image) => ({ image, name: IMAGE_NAMES.find((each) => IMAGES[each] === image) }))
  const unknown = wanted?.filter(({ name }) => name === undefined) ?? []
  for (const { image } of unknown)
    log(`there is no recipe of image ${image}; "isopod roots import" makes its root`)
  const names = wanted?.flatMap(({ name }) => name ?? []) ?? USUAL_IMAGES
  log('building images with buildah, without an engine')
  let isIntact = true
  for (const root of await services.buildRoots(names, { env: io.env, log })) {
    if (!(await showMade(io, services, root, json))) isIntact = false
  }
  return isIntact && unknown.length === 0 ? EXIT.success : EXIT.platform
}

/** `isopod roots import`: makes a root of an archive. */
export async function importRootFile(
  io: Io,
  services: Services,
  file: string,
  { as: reference, json }: JsonOption & { readonly as: string },
): Promise<ExitCode> {
  const log = (line: string) => note(io, `isopod: ${line}`)
  const root = await services.importRoot(file, reference, { env: io.env, log })
  return (await showMade(io, services, root, json)) ? EXIT.success : EXIT.platform
}

/** `isopod roots remove`: removes roots by languages or references of their images, or those without one. */
export async function removeRoots(
  io: Io,
  services: Services,
  words: readonly string[],
  { unused = false, json }: JsonOption & { readonly unused?: boolean },
): Promise<ExitCode> {
  if (unused === words.length > 0)
    throw new UsageError('roots remove: must have languages, references or --unused')
  const store = await services.openRoots(io.env)
  const references = await referencesOf(io, services, words, await store.list())
  const show = async (name: string, removed: boolean) => {
    if (json) await write(io.stdout, jsonLine({ root: name, removed }))
    else note(io, removed ? `isopod: removed ${name}` : `isopod: there is no root of ${name}`)
  }
  let removed = 0
  for (const reference of references) {
    const isRemoved = await store.remove(reference)
    if (isRemoved) removed += 1
    await show(reference, isRemoved)
  }
  if (!unused) return removed === references.length ? EXIT.success : EXIT.failure
  for (const { digest } of (await store.list()).filter((root) => root.references.length === 0)) {
    await store.removeRoot(digest)
    await show(digest, true)
  }
  return EXIT.success
}

/** `isopod roots verify`: compares roots with their manifests. @param words languages or references; none: all roots */
export async function verifyRoots(
  io: Io,
  services: Services,
  words: readonly string[],
  { json }: JsonOption,
): Promise<ExitCode> {
  const store = await services.openRoots(io.env)
  const all = await store.list()
  const references = await referencesOf(io, services, words, all)
  const unknown = references.filter((reference) => !all.some((root) => root.references.includes(reference)))
  for (const reference of unknown) note(io, `isopod: there is no root of ${reference}`)
  let isIntact = unknown.length === 0
  for (const root of all) {
    if (references.length > 0 && !root.references.some((each) => references.includes(each))) continue
    const differences = await store.verify(root.digest)
    if (differences.length > 0) isIntact = false
    await write(
      io.stdout,
      json ? jsonLine({ ...summaryOf(root), differences }) : verdictText(root, differences),
    )
  }
  return isIntact ? EXIT.success : EXIT.failure
}

/** @throws {UsageError} if the catalogue lacks a name */
function wantedImages(catalogue: readonly CatalogueImage[], names: readonly string[]): string[] {
  if (names.length === 0) return [...new Set(catalogue.map(({ image }) => image))]
  const found = names.map((name) => {
    const language = languageOf(catalogue, name)
    if (language !== undefined) return language.image
    const known = catalogue.map((entry) => entry.names[0]).join(', ')
    throw new UsageError(`roots make: the catalogue has no language ${JSON.stringify(name)}; it has ${known}`)
  })
  return [...new Set(found)]
}

/** Shows a root that was made, or found. @returns false if what was found is damaged */
async function showMade(
  io: Io,
  services: Services,
  root: MadeRoot,
  json: boolean | undefined,
): Promise<boolean> {
  const { reference, digest, unpacked } = root
  const differences = unpacked ? [] : await (await services.openRoots(io.env)).verify(digest)
  const damage = damageText(reference, differences)
  if (json) await write(io.stdout, jsonLine(root))
  if (damage !== undefined) note(io, `isopod: the root ${damage}`)
  else if (!json && !unpacked) note(io, `isopod: the root of ${reference} is up to date`)
  return damage === undefined
}

/** The references that are meant by words: references, or languages of the catalogue. */
async function referencesOf(
  io: Io,
  services: Services,
  words: readonly string[],
  roots: readonly StoredRoot[],
): Promise<string[]> {
  const known = new Set(roots.flatMap(({ references }) => references))
  if (words.every((word) => known.has(word))) return [...words]
  const catalogue = await services.catalogueImages(io.env)
  return words.map((word) => (known.has(word) ? word : (languageOf(catalogue, word)?.image ?? word)))
}

function languageOf(catalogue: readonly CatalogueImage[], name: string): CatalogueImage | undefined {
  return catalogue.find(({ names }) => names.includes(name.toLowerCase()))
}

function summaryOf({ digest, references, bytes, madeAt }: StoredRoot) {
  return { references, digest, bytes, madeAt: new Date(madeAt).toISOString() }
}

function rootLine(root: StoredRoot): string {
  return jsonLine(summaryOf(root))
}

function nameOf({ references, digest }: StoredRoot): string {
  return visible(references.join(', ')) || `unused ${digest}`
}

function verdictText(root: StoredRoot, differences: readonly string[]): string {
  const shown = differences.slice(0, MAX_DIFFERENCES).map((line) => `  ${visible(line)}\n`)
  const more = differences.length - shown.length
  if (more > 0) shown.push(`  … and ${more} more\n`)
  const verdict = differences.length === 0 ? 'as it was unpacked' : 'CHANGED'
  return [`${nameOf(root)}: ${verdict}\n`, ...shown].join('')
}

function rootTable(roots: readonly StoredRoot[], width: number): string {
  const rows = roots.map(({ references, digest, bytes, madeAt }) => [
    visible(references.join(', ')) || '(unused)',
    digest.slice('sha256:'.length).slice(0, DIGEST_DIGITS),
    memoryText(bytes),
    ageText(Date.now() - madeAt),
  ])
  const columns = [
    { head: 'image', flexible: true },
    { head: 'digest' },
    { head: 'size', align: 'right' },
    { head: 'age', align: 'right' },
  ] as const
  return tableText(columns, rows, width)
}
