import { parse } from 'node:path'
import type { Attack, Category, Entry } from '../attack.ts'
import { CHANNELS } from './channel.ts'
import { ESCAPES } from './escape.ts'
import { GRADER_CAPTURES } from './grader-capture.ts'
import { INFORMATION } from './information.ts'
import { RESOURCES } from './resources.ts'
import { WIRE_FORGERIES } from './wire-forgery.ts'

const LANGUAGES: Readonly<Record<string, string>> = {
  '.py': 'python',
  '.js': 'javascript',
  '.sh': 'bash',
  '.c': 'c',
}

const ENTRIES: Readonly<Record<Category, readonly Entry[]>> = {
  escape: ESCAPES,
  resources: RESOURCES,
  information: INFORMATION,
  'grader-capture': GRADER_CAPTURES,
  'wire-forgery': WIRE_FORGERIES,
  channel: CHANNELS,
}

/** All attacks of one category. */
export function attacksOf(category: Category): Attack[] {
  return ENTRIES[category].map((entry) => {
    const { name, ext } = parse(entry.program)
    const language = LANGUAGES[ext]
    if (language === undefined) throw new Error(`no language for ${entry.program}`)
    return { ...entry, id: name, category, language }
  })
}
