import type { Catalogue } from '@isopod/languages'
import type { JobFile, TestCase } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'

/**
 * A job's source as a check of the policy sees it: scripts and files of tests, and the programs that judge them, are source as
 * well, under names that no file of a job can have.
 */
export function checkedSource(
  execution: Execution,
  tests: readonly TestCase[] | undefined,
  catalogue: Pick<Catalogue, 'find'>,
): Execution {
  const own = extensionOf(execution.language.filename)
  const sources = new Map<string, JobFile>()
  /** Many tests have one judge. The same text in another language is another program. */
  const judging = new Set<string>()
  for (const [index, { script, files = {}, checker, interactor }] of (tests ?? []).entries()) {
    const folder = `/test-${index + 1}`
    if (script !== undefined) sources.set(`${folder}${own}`, text(script))
    for (const [path, file] of Object.entries(files)) sources.set(`${folder}/${path}`, file)
    const judges = {
      checker: typeof checker === 'object' && 'code' in checker ? checker : undefined,
      interactor,
    }
    for (const [role, program] of Object.entries(judges)) {
      const language = program && catalogue.find(program.language)
      const judge = `${language?.name}\0${program?.code}`
      if (!program || !language || judging.has(judge)) continue
      judging.add(judge)
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
