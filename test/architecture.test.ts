import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkRepository } from './architecture/check-repository.ts'
import { findCycles } from './architecture/cycles.ts'
import { importsOf } from './architecture/imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Writes a small repository without findings, with the given files changed or added, and returns its folder. */
function repository(changes: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'isopod-repository-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files: Record<string, string> = {
    'packages/client/package.json':
      '{"dependencies": {"@isopod/protocol": "1", "@isopod/queue": "1", "p-limit": "1"}}',
    'packages/client/tsconfig.json': '{"references": [{"path": "../protocol"}, {"path": "../queue"}]}',
    'packages/client/README.md': '',
    'packages/client/src/index.ts': `export { a } from './a.ts'\n`,
    'packages/client/src/a.ts': `import { readFile } from 'node:fs/promises'\nimport limit from 'p-limit'\n`,
    ...changes,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

describe('checkRepository', () => {
  it('finds no import, owner, cycle or missing file in this repository that the design does not allow', () => {
    expect(checkRepository(root)).toEqual([])
  })

  it('finds nothing in a small repository that follows the design', () => {
    expect(checkRepository(repository())).toEqual([])
  })

  it.each([
    [
      'an import of a package',
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
    ['a computed import', `const a = await import(name)`, /imports a computed path/],
    ['a deep import', `import { a } from '@isopod/queue/dist/a.js'`, /only @isopod\/queue itself is public/],
    ['a neighbour by path', `import { a } from '../../queue/src/a.ts'`, /outside its own src/],
    [
      'the library of another owner',
      `import { Queue } from 'bullmq'`,
      /imports bullmq, which only packages\/queue/,
    ],
    [
      'an undeclared dependency',
      `import { nanoid } from 'nanoid'`,
      /imports nanoid, which package\.json does not declare/,
    ],
    ['a builtin without its prefix', `import { join } from 'path'`, /package\.json does not declare/],
  ])('finds %s that is not allowed', (_, line, finding) => {
    const findings = checkRepository(repository({ 'packages/client/src/a.ts': `${line}\n` }))
    expect(findings).toEqual([expect.stringMatching(finding)])
  })

  it('finds a dependency and a reference that are not allowed', () => {
    const manifest = '{"dependencies": {"@isopod/protocol": "1", "@isopod/telemetry": "1", "p-limit": "1"}}'
    expect(checkRepository(repository({ 'packages/client/package.json': manifest }))).toEqual([
      expect.stringContaining('depends on @isopod/telemetry, which the design does not allow'),
      expect.stringContaining('references protocol, queue, but package.json depends on protocol, telemetry'),
    ])
  })

  it('finds a name that two files declare and export, but not a name that a file re-exports', () => {
    const findings = checkRepository(
      repository({
        'packages/client/src/a.ts': 'export interface Plan {}\nexport const own = 1\n',
        'packages/client/src/b.ts': `export type Plan = string\nexport { own } from './a.ts'\n`,
      }),
    )
    expect(findings).toEqual(['Plan: is exported by packages/client/src/a.ts and packages/client/src/b.ts'])
  })

  it('finds a file that is too long, a missing page, an unplanned folder and a cycle', () => {
    const findings = checkRepository(
      repository({
        'packages/client/src/long.ts': '\n'.repeat(281),
        'packages/extra/package.json': '{}',
        'apps/mcp/package.json': '{}',
        'apps/mcp/tsconfig.json': '{}',
        'scripts/a.mjs': "import './b.mjs'",
        'scripts/b.mjs': "import './a.mjs'",
        'packages/init/native/main.c': '#include <poll.h>\n#include "run/a.h"\n',
        'packages/init/native/run/a.c': '#include "run/a.h"\n#include "files/b.h"\n',
        'packages/init/native/run/a.h': '',
        'packages/init/native/files/b.c': '#include "b.h"\n',
        'packages/init/native/files/b.h': '#include "run/a.h"\n',
      }),
    )
    expect(findings).toEqual([
      'apps/mcp: has no README.md',
      'apps/mcp: has no src/main.ts',
      'packages/client/src/long.ts: has 281 lines, more than 280',
      'packages/extra: is not listed in test/architecture/rules.ts',
      expect.stringContaining('scripts: a.mjs → b.mjs → a.mjs is a cycle'),
      expect.stringContaining('packages/init/native: files → run → files is a cycle'),
    ])
  })
})

describe('findCycles', () => {
  const fileImport = (line: string) => {
    const [from = '', to = ''] = line.split(' > ')
    return { from, to }
  }

  it.each([
    ['neighbours in order', ['src/main.ts > src/a.ts', 'src/a.ts > src/b.ts'], []],
    [
      'two files that use each other',
      ['src/a.ts > src/b.ts', 'src/b.ts > src/a.ts'],
      ['src: a.ts → b.ts → a.ts is a cycle: src/a.ts uses src/b.ts, src/b.ts uses src/a.ts'],
    ],
    ['a folder that uses the file above it', ['src/a/x.ts > src/b.ts', 'src/c.ts > src/a/x.ts'], []],
    [
      'a folder that uses a file that uses the folder',
      ['src/a/x.ts > src/b.ts', 'src/b.ts > src/a/y.ts'],
      ['src: a → b.ts → a is a cycle: src/a/x.ts uses src/b.ts, src/b.ts uses src/a/y.ts'],
    ],
    [
      'three folders, no file of which is in a cycle',
      ['src/a/x > src/b/x', 'src/b/y > src/c/x', 'src/c/y > src/a/y'],
      ['src: a → b → c → a is a cycle: src/a/x uses src/b/x, src/b/y uses src/c/x, src/c/y uses src/a/y'],
    ],
  ])('reads %s', (_, lines, cycles) => {
    expect(findCycles(lines.map(fileImport))).toEqual(cycles)
  })
})

describe('importsOf', () => {
  it('ignores comments, strings and methods', () => {
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
