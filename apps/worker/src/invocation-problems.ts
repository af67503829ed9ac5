import type { Job, Language } from '@isopod/protocol'
import { ARGUMENTS_WORD } from '@isopod/sandbox'

/** Arguments and variables of a job that its language cannot have; one sentence each. */
export function invocationProblems({ env = {}, compileArgs = [] }: Job, language: Language): string[] {
  // Whether the job has input data: a variable is not refused today and accepted tomorrow.
  const own = { ...language.env, ...language.input_hook?.env }
  const taken = Object.keys(env).filter((name) => Object.hasOwn(own, name))
  return [
    ...taken.map((name) => `env.${name}: must not be set, because ${language.name} sets it`),
    ...(compileArgs.length > 0 ? compileProblems(language) : []),
  ]
}

function compileProblems({ name, compile }: Language): string[] {
  if (compile === undefined) return [`compileArgs: must be absent, because ${name} has no compile run`]
  if (compile.includes(ARGUMENTS_WORD)) return []
  return [`compileArgs: must be absent, because the compile run of ${name} takes none`]
}
