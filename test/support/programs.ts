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

/** A program of test/fixtures/programs as the start of a job. */
export function program(name: string): { language: string; code: string } {
  const path = fileURLToPath(new URL(`../fixtures/programs/${name}`, import.meta.url))
  const language = LANGUAGES[extname(name)]
  if (language === undefined) throw new Error(`no language for ${name}`)
  return { language, code: readFileSync(path, 'utf8') }
}
