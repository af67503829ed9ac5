import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { guessLanguage } from '../../apps/cli/src/input/guess-language.ts'

/** Language and code of a program in test/fixtures/programs. */
export function program(name: string): { language: string; code: string } {
  const path = fileURLToPath(new URL(`../fixtures/programs/${name}`, import.meta.url))
  return { language: guessLanguage(name) ?? '', code: readFileSync(path, 'utf8') }
}
