import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { IMAGES } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SOAK } from '../../../../test/support/soak.ts'
import type { Execution } from '../../src/contract/execution.ts'
import { expectNoRecords } from '../support/open-driver.ts'
import { comparable, type Mode, type Modes, ONE_CPU, openModes } from '../support/preload-modes.ts'

expectNoRecords()

const PROBES = new URL('../fixtures/preload/', import.meta.url)
const PROGRAMS = new URL('../../../../test/fixtures/programs/', import.meta.url)
const LANGUAGES: Record<string, string> = { '.py': 'python', '.js': 'javascript', '.ts': 'typescript' }

/** Inputs and limits of programs that need some. */
const CHANGES: Record<string, Partial<Execution>> = {
  'stdin.py': { stdin: 'one\ntwo three\nfour' },
  'stdin.js': { stdin: 'a\n'.repeat(40_000) },
  'stdin-at-once.js': { stdin: 'x'.repeat(200_000) },
  'cpu-limit.py': { limits: { ...ONE_CPU, cpuSeconds: 1 } },
  'descriptors.py': { limits: { ...ONE_CPU, cpuSeconds: 3, openFiles: 16 } },
  'memory-limit.py': { limits: { ...ONE_CPU, memoryMb: 64 } },
  'memory-limit.js': { limits: { ...ONE_CPU, memoryMb: 96 } },
  // Long enough to print on a busy host.
  'partial-output.py': { limits: { ...ONE_CPU, timeoutSeconds: 15 } },
  'partial-output.js': { limits: { ...ONE_CPU, timeoutSeconds: 15 } },
  'own-module.py': {
    files: {
      'helper.py': { content: 'VALUE = 3\n', encoding: 'utf8' },
      'pickle.py': { content: 'MINE = True\n', encoding: 'utf8' },
    },
  },
  'own-module.js': {
    files: {
      'helper.js': { content: 'exports.value = 7\n', encoding: 'utf8' },
      'data.json': { content: '{"list": [1]}', encoding: 'utf8' },
    },
  },
}

/** Small limits, because many of the programs exhaust a resource. */
const FEW = { ...ONE_CPU, memoryMb: 128, processes: 40, diskMb: 8 }
/** Programs that run until their timeout, which is short; the others get enough time even on a busy host. */
const ENDLESS = ['forever.py', 'fork-bomb.py', 'sleep-past-limit.py']
/** Programs whose output depends on timing or on the worker. */
const RACES = ['fork-bomb.py', 'thread-bomb.py', 'flood-both-streams.py', 'memory-bomb-in-child.py']

/** Programs that list processes: they see the interpreter that forked them, but cannot access it. */
const SEES_ITS_ORIGIN = ['escape-by-proc.py', 'inventory.py']

let modes: Modes

// More than two at once, because many of the programs wait or run into a timeout.
vi.setConfig({ maxConcurrency: 3 })

beforeAll(async () => {
  modes = await openModes([IMAGES.python, IMAGES.javascript])
})

afterAll(async () => {
  await modes.close()
})

/** Outcomes of plain runs, which both other modes are compared with. */
const plainRuns = new Map<string, ReturnType<Modes['run']>>()

async function same(mode: Mode, language: string, code: string, changes: Partial<Execution> = {}) {
  const plainRun = plainRuns.get(code) ?? modes.run('plain', language, code, changes)
  plainRuns.set(code, plainRun)
  const plain = await plainRun
  const other = await modes.run(mode, language, code, changes)
  expect(other.container.preloaded, 'preloaded').toBe(true)
  return { plain: comparable(plain), other: comparable(other) }
}

/** Names of the programs. Files with the additional ending `.txt` are hidden from the repository's formatters and linters. */
const files = (folder: URL) =>
  readdirSync(folder)
    .map((name) => name.replace(/\.txt$/, ''))
    .filter((name) => extname(name) in LANGUAGES)
const read = (name: string, folder: URL) => {
  const url = new URL(name, folder)
  return readFileSync(existsSync(url) ? url : new URL(`${name}.txt`, folder), 'utf8')
}

describe.each(['preloaded', 'forked'] as const)('a program that was %s', (mode) => {
  const fits = (name: string) => mode === 'preloaded' || extname(name) === '.py'

  it.concurrent.each(files(PROBES).filter(fits))('cannot notice it: %s', async (name) => {
    const code = read(name, PROBES)
    const language = LANGUAGES[extname(name)] ?? ''
    const { plain, other } = await same(mode, language, code, CHANGES[name])
    expect(other).toEqual(plain)
  })

  const isComparable = (name: string) => fits(name) && !(mode === 'forked' && SEES_ITS_ORIGIN.includes(name))
  // Every third program, because the probes above look at what preloading could change; the soak runs all.
  const programs = files(PROGRAMS).filter((name, index) => isComparable(name) && (SOAK || index % 3 === 0))
  it.concurrent.each(programs)('behaves as in a plain run: %s', async (name) => {
    const code = read(name, PROGRAMS)
    const changes = { limits: ENDLESS.includes(name) ? { ...FEW, timeoutSeconds: 4 } : FEW }
    const { plain, other } = await same(mode, LANGUAGES[extname(name)] ?? '', code, changes)
    const { status, limit, limitsApplied } = plain
    expect(other).toMatchObject(RACES.includes(name) ? { status, limit, limitsApplied } : plain)
  })
})
