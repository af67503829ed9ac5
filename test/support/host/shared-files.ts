import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { IMAGES, openRoots } from '@isopod/devstack'
import { differences } from './observer.ts'

/** Images whose roots programs of the attacks see. */
const ATTACKED: readonly string[] = [IMAGES.bash, IMAGES.c, IMAGES.javascript, IMAGES.python]

/** Files of the host that all sandboxes of the process driver see: roots of languages, init, compiled seccomp profiles. */
export interface SharedFiles {
  /** Lists the files that have changed since the start, one sentence each. */
  findings(): Promise<string[]>
}

/** Watches the shared files. @param state directory of the workers */
export function watchSharedFiles(state: string): SharedFiles {
  const before = digests(state)
  return {
    async findings() {
      const roots = await openRoots()
      const seen = (await roots.list()).filter(({ references }) =>
        references.some((reference) => ATTACKED.includes(reference)),
      )
      const changed = await Promise.all(seen.map(({ digest }) => roots.verify(digest)))
      return [...differences(before, digests(state)), ...changed.flat()]
    },
  }
}

function digests(state: string): Map<string, string> {
  const files = globSync([`${state}/init-*/*`, `${state}/filter-*`])
  const empty = globSync([`${state}/stage/*`, `${state}/empty/*`])
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  return new Map([
    ...files.map((path) => [path, `${statSync(path).mode.toString(8)} ${hash(path)}`] as const),
    ...empty.map((path) => [path, 'there'] as const),
  ])
}
