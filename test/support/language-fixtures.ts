import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Status } from '@isopod/protocol'
import { parse } from 'yaml'

/** A program and how it has to end. What is not named is not looked at. */
export interface ProgramFixture {
  readonly code: string
  readonly status?: Status
  readonly exit?: number
  readonly signal?: string
  /** A pattern in stderr. */
  readonly says?: string
  /** A pattern in stdout. */
  readonly stdout?: string
}

/** The programs of one language, each as short as the language allows; a language may be unable to have some. */
export interface LanguageFixtures {
  /** What its image's own toolchain is asked, to print its version. */
  readonly version: readonly string[]
  /** Prints `hello`. */
  readonly hello: string
  /** All of stdout of `hello`, where the language adds something. @default "hello\n" */
  readonly stdout?: string
  /** Prints what comes on stdin. */
  readonly echo?: string
  /** Prints `é 😀 ` and then what comes on stdin. */
  readonly unicode?: string
  /** Ends with an unhandled error. */
  readonly error: ProgramFixture
  /** Is no program of the language. */
  readonly broken: ProgramFixture
  /** Compiles, but the command that people use for the language refuses it. */
  readonly refused?: ProgramFixture
  readonly forever: string
  /** A program that prints `42` in its first line if its compiler was given these arguments, and without them does not. */
  readonly compileArgs?: { readonly args: readonly string[]; readonly code: string }
  /** Takes memory until it is stopped. @default status memory_exceeded */
  readonly hog?: ProgramFixture
  /** Uses what graders' programs import. */
  readonly libraries?: ProgramFixture
  /** Uses threads, child processes, loopback and temporary files, as far as the language has them. */
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
