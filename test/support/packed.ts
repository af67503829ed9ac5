import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Root of the checkout. */
export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/** The fields of a package.json that matter for packing and installing. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly engines?: { readonly node?: string }
  readonly sideEffects?: boolean
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** All workspaces: folder → manifest. */
export function workspaces(): Map<string, Manifest> {
  const files = globSync('{packages,apps}/*/package.json', { cwd: CHECKOUT }).sort()
  return new Map(
    files.map((file) => [
      file.slice(0, -'/package.json'.length),
      JSON.parse(readFileSync(join(CHECKOUT, file), 'utf8')) as Manifest,
    ]),
  )
}

/** The workspaces that can be published. */
export function publicPackages(): Map<string, Manifest> {
  return new Map([...workspaces()].filter(([, manifest]) => manifest.private !== true))
}

/** A tarball, as `npm publish` would upload it. */
export interface PackedPackage {
  readonly name: string
  /** The tarball's path. */
  readonly file: string
  /** Paths of its files. */
  readonly paths: readonly string[]
}

/** Packs all public packages into a folder. */
export async function packPublic(folder: string): Promise<PackedPackage[]> {
  const chosen = [...publicPackages().values()].flatMap(({ name }) => ['-w', name])
  const { stdout } = await npm(CHECKOUT, 'pack', '--json', '--pack-destination', folder, ...chosen)
  const packed = JSON.parse(stdout) as Record<
    string,
    { name: string; filename: string; files: { path: string }[] }
  >
  return Object.values(packed).map(({ name, filename, files }) => ({
    name,
    file: join(folder, filename),
    paths: files.map(({ path }) => path).sort(),
  }))
}

/** Runs npm with the user's registry and cache, without the variables of an npm script. */
export function npm(folder: string, ...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle|command|execpath|node_execpath|config_local_prefix)|INIT_CWD$|NODE_ENV$)/.test(
        name,
      ),
  )
  return run('npm', ['--loglevel=error', '--ignore-scripts', ...words], {
    cwd: folder,
    env: Object.fromEntries(kept),
    maxBuffer: 64 * 1024 * 1024,
  })
}
