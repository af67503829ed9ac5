import type { Language } from '@isopod/protocol'
import { docker } from './engine.ts'

/** A program, and the stdin of each run. */
export interface PlainProgram {
  readonly code: string
  readonly stdins: readonly string[]
  readonly timeoutSeconds: number
}

/** The outcome of one run; exit code 124 after a timeout. */
export interface PlainRun {
  readonly exitCode: number
  readonly stdout: string
}

/**
 * Runs programs with only the language's own toolchain, all in one plain container of its image.
 *
 * @returns for each program one run per stdin
 */
export async function plainToolchain(
  dockerHost: string,
  language: Language,
  programs: readonly PlainProgram[],
): Promise<PlainRun[][]> {
  const words = (vector: readonly string[]) =>
    vector
      .filter((word) => word !== '{args}')
      .map((word) => quoted(word.replaceAll('{filename}', language.filename)))
      .join(' ')
  const script = programs.flatMap(({ code, stdins, timeoutSeconds }, index) => [
    `mkdir -p /tmp/plain/${index} && cd /tmp/plain/${index}`,
    `${decoded(code)} > ${quoted(language.filename)}`,
    language.compile ? `${words(language.compile)} > compile.log 2>&1 || cat compile.log >&2` : ':',
    ...stdins.map(
      (stdin) =>
        `${decoded(stdin)} | timeout ${timeoutSeconds} ${words(language.command)} > stdout 2> stderr; echo $? $(base64 -w0 stdout)`,
    ),
  ])
  const env = Object.entries(language.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const command = ['run', '--rm', '--network', 'none', ...env, language.image, 'sh', '-c', script.join('\n')]
  const lines = (await docker(dockerHost, ...command)).trimEnd().split('\n')
  return programs.map(({ stdins }) =>
    stdins.map(() => {
      const [exitCode, stdout = ''] = (lines.shift() ?? '').split(' ')
      return { exitCode: Number(exitCode), stdout: Buffer.from(stdout, 'base64').toString('utf8') }
    }),
  )
}

function decoded(text: string): string {
  return `printf %s ${Buffer.from(text).toString('base64') || "''"} | base64 -d`
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
