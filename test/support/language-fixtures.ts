import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Status } from '@isopod/protocol'
import { parse } from 'yaml'

/** A program and its expected result. Fields that are not set are not checked. */
export interface ProgramFixture {
  readonly code: string
  readonly status?: Status
  readonly exit?: number
  readonly signal?: string
  /** A pattern that stderr must match. */
  readonly says?: string
  /** A pattern that stdout must match. */
  readonly stdout?: string
}

/** The programs of one language, as short as possible. Programs that some languages cannot express are optional. */
export interface LanguageFixtures {
  /** Command with which the image's toolchain prints its version. */
  readonly version: readonly string[]
  /** Prints `hello`. */
  readonly hello: string
  /** Complete stdout of `hello`, if the language adds to it. @default "hello\n" */
  readonly stdout?: string
  /** Copies stdin to stdout. */
  readonly echo?: string
  /** Prints `é 😀 `, then copies stdin to stdout. */
  readonly unicode?: string
  /** Ends with an unhandled error. */
  readonly error: ProgramFixture
  /** Not a valid program. */
  readonly broken: ProgramFixture
  /** Compiles, but the language's usual command rejects it, as `go test` does by its vet checks. */
  readonly refused?: ProgramFixture
  /** Compiles, but is no program: it has no main. */
  readonly library?: ProgramFixture
  readonly forever: string
  /** A program that prints `42` in its first line only if its compiler gets these arguments. */
  readonly compileArgs?: { readonly args: readonly string[]; readonly code: string }
  /** Allocates memory until it is killed. @default status memory_exceeded */
  readonly hog?: ProgramFixture
  /** Uses the libraries that programs in grading data sets import. */
  readonly libraries?: ProgramFixture
  /** Uses threads, child processes, loopback and temporary files, as far as the language supports them. */
  readonly surroundings?: ProgramFixture
}

const FOLDER = fileURLToPath(new URL('../fixtures/languages/', import.meta.url))

/** Programs by language, from test/fixtures/languages. */
export function languageFixtures(): ReadonlyMap<string, LanguageFixtures> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))
  return new Map(
    files.map((name) => [
      basename(name, '.yaml'),
      parse(readFileSync(`${FOLDER}${name}`, 'utf8')) as LanguageFixtures,
    ]),
  )
}

/** The programs of a language, by the names of their fixtures. */
export function programsOf({
  version: _,
  stdout: __,
  ...programs
}: LanguageFixtures): ReadonlyMap<string, string> {
  const codes = Object.entries(programs).map(
    ([name, it]) => [name, typeof it === 'string' ? it : it.code] as const,
  )
  return new Map(codes)
}
