import type { LanguageSummary } from '@isopod/protocol'
import { coerce, maxSatisfying, validRange } from 'semver'

/** Piston's names and aliases for languages of the catalogue, where they differ. */
const PISTON_NAMES: Readonly<
  Record<string, { readonly name?: string; readonly aliases?: readonly string[]; readonly runtime?: string }>
> = {
  javascript: { aliases: ['node-javascript', 'node-js'], runtime: 'node' },
  typescript: { aliases: ['node-ts', 'tsc', 'typescript5'], runtime: 'node' },
  python: { aliases: ['py3'] },
  c: { runtime: 'gcc' },
  cpp: { name: 'c++', runtime: 'gcc' },
  d: { runtime: 'gcc' },
  fortran: { runtime: 'gcc' },
  csharp: { aliases: ['mono-csharp', 'mono-c#', 'mono-cs'], runtime: 'mono' },
  r: { name: 'rscript' },
  sql: { name: 'sqlite3' },
  lisp: { aliases: ['commonlisp', 'clisp'] },
}

/** A language in Piston's list. */
export interface PistonRuntime {
  readonly language: string
  /** SemVer; missing parts are 0. */
  readonly version: string
  readonly aliases: readonly string[]
  readonly runtime?: string
}

/** A runtime and its language in the catalogue. */
export interface OfferedRuntime {
  readonly runtime: PistonRuntime
  readonly catalogueName: string
  /** False if a worker lacks its image. */
  readonly installed: boolean
}

/** The languages that workers offer, in Piston's form. */
export function runtimesOf(offered: readonly LanguageSummary[]): OfferedRuntime[] {
  return offered.map(({ name, version, aliases, missingImage }) => {
    const piston = PISTON_NAMES[name] ?? {}
    const language = piston.name ?? name
    const others = new Set([name, ...aliases, ...(piston.aliases ?? [])])
    others.delete(language)
    return {
      runtime: {
        language,
        version: coerce(version)?.version ?? '0.0.0',
        aliases: [...others],
        ...(piston.runtime !== undefined && { runtime: piston.runtime }),
      },
      catalogueName: name,
      installed: missingImage === undefined,
    }
  })
}

/** The runtime that a request asks for by name or alias and a SemVer selector; undefined if there is none. */
export function findRuntime(
  runtimes: readonly OfferedRuntime[],
  language: string,
  selector: string,
): OfferedRuntime | undefined {
  if (validRange(selector) === null) return undefined
  const name = language.toLowerCase()
  return runtimes.find(({ runtime }) => {
    const names = [runtime.language, ...runtime.aliases].map((one) => one.toLowerCase())
    return names.includes(name) && maxSatisfying([runtime.version], selector) !== null
  })
}
