import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const LANGUAGES: Record<string, string> = {
  '.py': 'python',
  '.sh': 'bash',
  '.js': 'javascript',
  '.ts': 'typescript',
  '.c': 'c',
}

/** Language and code of a program in test/fixtures/programs. */
export function program(name: string): { language: string; code: string } {
  const path = fileURLToPath(new URL(`../fixtures/programs/${name}`, import.meta.url))
  const language = LANGUAGES[extname(name)]
  if (language === undefined) throw new Error(`no language for ${name}`)
  return { language, code: readFileSync(path, 'utf8') }
}
