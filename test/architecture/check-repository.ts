import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { findCycles } from './cycles.ts'
import { type Import, importsOf, includesOf, packageOf } from './imports.ts'
import { ALLOWED_IMPORTS, C_SOURCES, MAX_FILE_LINES, OWNERS, TOOLS } from './rules.ts'
import { findDuplicateExports } from './unique-exports.ts'

interface Manifest {
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Checks a checkout against rules.ts. Returns one sentence per finding. */
export function checkRepository(root: string): string[] {
  const folders = globSync('{packages,apps}/*/package.json', { cwd: root }).map(dirname).sort()
  return [
    ...folders.flatMap((folder) => checkFolder(root, folder)),
    ...checkNames(root, folders),
    ...TOOLS.flatMap((folder) => checkCycles(root, folder, sourcesOf(root, folder))),
    ...C_SOURCES.flatMap((folder) => checkIncludes(root, folder)),
  ]
}

function checkFolder(root: string, folder: string): string[] {
  const allowed = ALLOWED_IMPORTS[folder]
  if (allowed === undefined) return [`${folder}: is not listed in test/architecture/rules.ts`]
  const manifest = readJson<Manifest>(join(root, folder, 'package.json'))
  const declared = Object.keys(manifest.dependencies ?? {})
  const files = sourcesOf(root, `${folder}/src`)
  return [
    ...checkShape(root, folder),
    ...ourPackages(declared)
      .filter((name) => !allowed.includes(name))
      .map((name) => `${folder}/package.json: depends on @isopod/${name}, which the design does not allow`),
    ...checkReferences(root, folder, declared),
    ...files.flatMap((file) => checkFile(root, folder, file, allowed, declared)),
    ...checkCycles(root, `${folder}/src`, files),
  ]
}

function sourcesOf(root: string, folder: string): string[] {
  return globSync(`${folder}/**/*.{ts,mts,cts,js,mjs,cjs}`, { cwd: root }).sort()
}

/** Checks that no two files export the same name. */
function checkNames(root: string, folders: readonly string[]): string[] {
  const files = folders.flatMap((folder) => sourcesOf(root, `${folder}/src`))
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  return findDuplicateExports(texts)
}

/** Checks that no files or folders beside each other import in a cycle. */
function checkCycles(root: string, folder: string, files: readonly string[]): string[] {
  const imports = files.flatMap((from) =>
    importsOf(readFileSync(join(root, from), 'utf8')).flatMap(({ target }) =>
      target?.startsWith('.') ? [{ from, to: join(dirname(from), target) }] : [],
    ),
  )
  return findCycles(imports.filter(({ to }) => to.startsWith(`${folder}/`)))
}

/** Checks includes of C for cycles. A header and its source count as one module. */
function checkIncludes(root: string, folder: string): string[] {
  const files = globSync('**/*.{c,h}', { cwd: join(root, folder) }).sort()
  const imports = files.flatMap((from) =>
    includesOf(readFileSync(join(root, folder, from), 'utf8')).map((header) => {
      const beside = join(dirname(from), header)
      return { from, to: files.includes(beside) ? beside : header }
    }),
  )
  const moduleOf = (file: string) => join(folder, file.replace(/\.[ch]$/, ''))
  return findCycles(imports.map(({ from, to }) => ({ from: moduleOf(from), to: moduleOf(to) })))
}

/** Checks that each package has README.md and src/index.ts, and each app README.md and src/main.ts. */
function checkShape(root: string, folder: string): string[] {
  const entry = folder.startsWith('apps/') ? 'src/main.ts' : 'src/index.ts'
  return ['README.md', entry]
    .filter((file) => !existsSync(join(root, folder, file)))
    .map((file) => `${folder}: has no ${file}`)
}

/** Checks that the references in tsconfig.json are the dependencies: a missing one makes the order of builds depend on luck. */
function checkReferences(root: string, folder: string, declared: readonly string[]): string[] {
  const config = readJson<{ references?: { path: string }[] }>(join(root, folder, 'tsconfig.json'))
  const referenced = (config.references ?? []).map(({ path }) => relative('packages', join(folder, path)))
  const wanted = ourPackages(declared)
  if (referenced.toSorted().join() === wanted.toSorted().join()) return []
  return [
    `${folder}/tsconfig.json: references ${list(referenced)}, but package.json depends on ${list(wanted)}`,
  ]
}

function checkFile(
  root: string,
  folder: string,
  file: string,
  allowed: readonly string[],
  declared: readonly string[],
): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const lines = text.split('\n').length - 1
  const tooLong = lines > MAX_FILE_LINES ? [`${file}: has ${lines} lines, more than ${MAX_FILE_LINES}`] : []
  const imports = importsOf(text).flatMap((found) => {
    const problem = importProblem(found, file, folder, allowed, declared)
    return problem === undefined ? [] : [`${file}:${found.line}: ${problem}`]
  })
  return [...tooLong, ...imports]
}

function importProblem(
  { target }: Import,
  file: string,
  folder: string,
  allowed: readonly string[],
  declared: readonly string[],
): string | undefined {
  if (target === undefined) return 'imports a computed path, which cannot be checked'
  if (target.startsWith('node:')) return undefined
  if (target.startsWith('.') || target.startsWith('/')) {
    const inside = resolve('/', dirname(file), target).startsWith(resolve('/', folder, 'src/'))
    return inside ? undefined : `imports ${target}, outside its own src`
  }
  const name = packageOf(target)
  const ours = ourPackages([name])[0]
  if (ours !== undefined && !allowed.includes(ours)) return `imports ${name}, which the design does not allow`
  if (ours !== undefined && target !== name) return `imports ${target}; only ${name} itself is public`
  const owners = OWNERS[name]
  if (owners !== undefined && !owners.some((owner) => file.startsWith(`${owner}/`))) {
    return `imports ${name}, which only ${owners.join(' and ')} may`
  }
  if (!declared.includes(name)) return `imports ${name}, which package.json does not declare`
  return undefined
}

function ourPackages(names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith('@isopod/')).map((name) => name.slice('@isopod/'.length))
}

function list(names: readonly string[]): string {
  return names.join(', ') || 'nothing'
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T
}
