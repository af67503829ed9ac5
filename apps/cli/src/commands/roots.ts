import type { CatalogueImage, MadeRoot, StoredRoot } from '@isopod/devstack'
import { imageRemedy, visible } from '@isopod/protocol'
import { EXIT, type ExitCode, errorCode, UsageError } from '@isopod/service-kit'
import { engineOf } from '../engine-of.ts'
import { type Io, note, write } from '../io.ts'
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

/** `isopod roots make`: makes roots of the catalogue's images. Without names it leaves out images that the engine lacks. */
export async function makeRoots(
  io: Io,
  services: Services,
  names: readonly string[],
  { json }: JsonOption,
): Promise<ExitCode> {
  const images = wantedImages(await services.catalogueImages(io.env), names)
  const engine = await engineOf(io, services)
  const log = (line: string) => note(io, `isopod: ${line}`)
  let made = 0
  for (const image of images) {
    try {
      const root = await services.makeRoot(engine, image, { env: io.env, log })
      await showMade(io, root, json)
      made += 1
    } catch (error) {
      if (errorCode(error) !== 'image_absent') throw error
      note(io, `isopod: the engine lacks image ${image}; ${imageRemedy(image)}`)
    }
  }
  return made === 0 || (names.length > 0 && made < images.length) ? EXIT.platform : EXIT.success
}

/** `isopod roots import`: makes a root of an archive. */
export async function importRootFile(
  io: Io,
  services: Services,
  file: string,
  { as: reference, json }: JsonOption & { readonly as: string },
): Promise<ExitCode> {
  const log = (line: string) => note(io, `isopod: ${line}`)
  await showMade(io, await services.importRoot(file, reference, { env: io.env, log }), json)
  return EXIT.success
}

/** `isopod roots remove`: removes roots by the references of their images, or those without one. */
export async function removeRoots(
  io: Io,
  services: Services,
  references: readonly string[],
  { unused = false, json }: JsonOption & { readonly unused?: boolean },
): Promise<ExitCode> {
  if (unused === references.length > 0) throw new UsageError('roots remove: must have references or --unused')
  const store = await services.openRoots(io.env)
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

/** `isopod roots verify`: compares roots with their manifests. */
export async function verifyRoots(
  io: Io,
  services: Services,
  references: readonly string[],
  { json }: JsonOption,
): Promise<ExitCode> {
  const store = await services.openRoots(io.env)
  const all = await store.list()
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
    const language = catalogue.find((entry) => entry.names.includes(name.toLowerCase()))
    if (language !== undefined) return language.image
    const known = catalogue.map((entry) => entry.names[0]).join(', ')
    throw new UsageError(`roots make: the catalogue has no language ${JSON.stringify(name)}; it has ${known}`)
  })
  return [...new Set(found)]
}

async function showMade(io: Io, root: MadeRoot, json: boolean | undefined): Promise<void> {
  if (json) await write(io.stdout, jsonLine(root))
  else if (!root.unpacked) note(io, `isopod: the root of ${root.reference} is up to date`)
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
