import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkHouse } from './architecture/check-house.ts'
import { importsOf } from './architecture/imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A small house that is in order, with the given files changed or added. */
function house(changes: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'isopod-house-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files: Record<string, string> = {
    'packages/client/package.json':
      '{"dependencies": {"@isopod/protocol": "1", "@isopod/queue": "1", "yaml": "1"}}',
    'packages/client/tsconfig.json': '{"references": [{"path": "../protocol"}, {"path": "../queue"}]}',
    'packages/client/README.md': '',
    'packages/client/src/index.ts': `export { a } from './a.ts'\n`,
    'packages/client/src/a.ts': `import { readFile } from 'node:fs/promises'\nimport { parse } from 'yaml'\n`,
    ...changes,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

describe('the house', () => {
  it('has only the arrows, owners and shapes of the design', () => {
    expect(checkHouse(root)).toEqual([])
  })

  it('is really looked at', () => {
    expect(checkHouse(house())).toEqual([])
  })

  it.each([
    [
      'an arrow of ours',
      `import { Sandbox } from '@isopod/sandbox'`,
      /a\.ts:1: imports @isopod\/sandbox, which/,
    ],
    ['a type import', `import type { Sandbox } from '@isopod/sandbox'`, /does not allow/],
    ['a re-export', `export { Sandbox } from '@isopod/sandbox'`, /does not allow/],
    [
      'an import of many lines',
      `import {\n  Sandbox,\n  type B,\n} from '@isopod/sandbox'`,
      /does not allow/,
    ],
    ['a dynamic import', `const a = await import('@isopod/sandbox')`, /does not allow/],
    ['a type query', `type A = import('@isopod/sandbox').Sandbox`, /does not allow/],
    ['a side effect', `import '@isopod/sandbox'`, /does not allow/],
    ['a require', `const a = require('@isopod/sandbox')`, /does not allow/],
    ['a computed import', `const a = await import(name)`, /imports something computed/],
    ['a deep import', `import { a } from '@isopod/queue/dist/a.js'`, /only @isopod\/queue itself is public/],
    ['a neighbour by path', `import { a } from '../../queue/src/a.ts'`, /outside its own src/],
    [
      'the library of another owner',
      `import { Queue } from 'bullmq'`,
      /imports bullmq, which only packages\/queue/,
    ],
    ['what is not declared', `import { z } from 'zod'`, /imports zod, which package\.json does not declare/],
    ['a builtin without its prefix', `import { join } from 'path'`, /package\.json does not declare/],
  ])('finds %s that is not allowed', (_, line, finding) => {
    const findings = checkHouse(house({ 'packages/client/src/a.ts': `${line}\n` }))
    expect(findings).toEqual([expect.stringMatching(finding)])
  })

  it('finds a dependency and a reference that are not allowed', () => {
    const manifest = '{"dependencies": {"@isopod/protocol": "1", "@isopod/telemetry": "1", "yaml": "1"}}'
    expect(checkHouse(house({ 'packages/client/package.json': manifest }))).toEqual([
      expect.stringContaining('depends on @isopod/telemetry, which the design does not allow'),
      expect.stringContaining('references protocol, queue, but package.json depends on protocol, telemetry'),
    ])
  })

  it('finds a file that is too long, a page that is missing and a folder that nobody planned', () => {
    const findings = checkHouse(
      house({
        'packages/client/src/long.ts': '\n'.repeat(281),
        'packages/extra/package.json': '{}',
        'apps/mcp/package.json': '{}',
        'apps/mcp/tsconfig.json': '{}',
      }),
    )
    expect(findings).toEqual([
      'apps/mcp: has no README.md',
      'apps/mcp: has no src/main.ts',
      'packages/client/src/long.ts: has 281 lines, more than 280',
      'packages/extra: is not part of the house in test/architecture/house.ts',
    ])
  })
})

describe('importsOf', () => {
  it('leaves comments, texts and methods alone', () => {
    const text = `/**
 * import { a } from 'docstring'
 */
// import 'line'
const text = "import 'quoted'"
loader.import('method')
const important = from('x')
export const from = 'elsewhere'
export function f(a = 'b') {}
`
    expect(importsOf(text)).toEqual([])
  })
})
