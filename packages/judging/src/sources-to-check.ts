import type { JobFile, TestCase } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'
import type { LanguageList } from './judging-rules.ts'

/**
 * Adds the sources of the test cases to an execution, for the policy check: scripts, files, checker programs and interactors.
 * Their paths begin with `/`, which no file of a job can have.
 */
export function sourcesToCheck(
  execution: Execution,
  tests: readonly TestCase[],
  catalogue: Pick<LanguageList, 'find'>,
): Execution {
  const own = extensionOf(execution.language.filename)
  const sources = new Map<string, JobFile>()
  /** Helper programs that test cases share are checked once per language. */
  const added = new Set<string>()
  for (const [index, { script, files = {}, checker, interactor }] of tests.entries()) {
    const folder = `/test-${index + 1}`
    if (script !== undefined) sources.set(`${folder}${own}`, text(script))
    for (const [path, file] of Object.entries(files)) sources.set(`${folder}/${path}`, file)
    const helpers = {
      checker: typeof checker === 'object' && 'code' in checker ? checker : undefined,
      interactor,
    }
    for (const [role, program] of Object.entries(helpers)) {
      const language = program && catalogue.find(program.language)
      const key = `${language?.name}\0${program?.code}`
      if (!program || !language || added.has(key)) continue
      added.add(key)
      sources.set(`${folder}-${role}${extensionOf(language.filename)}`, text(program.code))
    }
  }
  if (sources.size === 0) return execution
  return { ...execution, files: { ...execution.files, ...Object.fromEntries(sources) } }
}

function extensionOf(filename: string): string {
  return filename.replace(/^[^.]*/, '')
}

function text(content: string): JobFile {
  return { content, encoding: 'utf8' }
}
