import { encodePreload, encodePutFile } from '@isopod/init'
import type { LimitsOf } from '@isopod/protocol'
import type { Library } from '../contract/library.ts'
import { WORKSPACE } from './confinement.ts'

/** Timeout of an interpreter's start and imports, in milliseconds; long enough for a small CPU quota. */
const PRELOAD_MS = 20_000

/** What a container starts before its program comes; part of its kind, so nothing in it belongs to one execution. */
export interface PreloadPlan {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Start-up hook: relative path → text, with `{library}`. */
  readonly files: Readonly<Record<string, string>>
  /** What the hook loads. */
  readonly library?: Library | undefined
  /** Name of the main file, if the interpreter waits when it opens it; undefined with a hook. */
  readonly mainFile: string | undefined
  /** Modules that it imports. */
  readonly modules: readonly string[]
  /** Whether each program is a fork of the interpreter. */
  readonly forks: boolean
}

/** The frames that have init carry out a plan. */
export function preloadFrames(plan: PreloadPlan, limits: LimitsOf<'process'>): Uint8Array {
  const { argv, env, files, library, mainFile, forks } = plan
  const preload = { argv, env, cwd: WORKSPACE, limits, wallMs: PRELOAD_MS, forks }
  // A function, because `$` in a text has a meaning here.
  const fill = (text: string) => text.replaceAll('{library}', () => library?.json ?? '""')
  return Buffer.concat([
    ...Object.entries(files).map(([path, text]) => encodePutFile(path, Buffer.from(fill(text)))),
    encodePreload(mainFile === undefined ? preload : { ...preload, mainFile }),
  ])
}
