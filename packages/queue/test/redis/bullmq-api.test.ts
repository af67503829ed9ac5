import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
const LOCK = fileURLToPath(new URL('../../../../package-lock.json', import.meta.url))
const SOURCES = globSync('src/**/*.ts', { cwd: PACKAGE }).map((path) => ({
  path,
  text: readFileSync(`${PACKAGE}/${path}`, 'utf8'),
}))

/** Ways around BullMQ's public typings that the compiler does not refuse. */
const DETOURS: readonly [string, RegExp][] = [
  ['a deep import', /['"]bullmq\//],
  ['a cast that hides the type', /\bas (any|unknown as|never)\b/],
  ['a suppressed compiler error', /@ts-(ignore|expect-error|nocheck)/],
  ['a private or protected member by its name', /\[['"][a-zA-Z]+['"]\]\(/],
  ['a subclass', /extends (BullJob|Job|Worker|Queue|QueueBase)\b/],
  ['a replaced method', /\b(worker|queue|jobs|redis|client)\.[a-zA-Z]+ = (async )?\(/],
  ['reflection', /\b(Reflect|Object\.(defineProperty|setPrototypeOf))\b|\.prototype\b/],
  ['the source of a script', /\bscriptsSet\b/],
]

describe('BullMQ', () => {
  it.each(DETOURS)('is not used through %s', (_, detour) => {
    expect(SOURCES.filter(({ text }) => detour.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('has one version in the lock file, of the major version 6', () => {
    const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'))
    const locked = Object.entries<{ version: string }>(packages).filter(([path]) => path.endsWith('/bullmq'))
    const installed = createRequire(import.meta.url)('bullmq/package.json')
    expect(locked.map(([, { version }]) => version)).toEqual([installed.version])
    expect(installed.version).toMatch(/^6\./)
  })
})
