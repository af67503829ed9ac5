import type { Language } from '@isopod/protocol'
import { docker } from './engine.ts'

/** A program, and the stdin of each run. */
export interface PlainProgram {
  readonly code: string
  readonly stdins: readonly string[]
  readonly timeoutSeconds: number
}

/** A program's build, and its runs. */
export interface PlainOutcome {
  /** Whether there is a program to start: it needs no compiler, or its compiler has made one. */
  readonly built: boolean
  readonly runs: readonly PlainRun[]
}

/** The outcome of one run; exit code 124 after a timeout, 128 + n after signal n. */
export interface PlainRun {
  readonly exitCode: number
  readonly stdout: string
}

/**
 * Runs programs with only the language's own toolchain, all in one plain container of its image.
 *
 * @returns for each program its build, and one run per stdin
 */
export async function plainToolchain(
  dockerHost: string,
  language: Language,
  programs: readonly PlainProgram[],
): Promise<PlainOutcome[]> {
  const words = (vector: readonly string[]) =>
    vector
      .filter((word) => word !== '{args}')
      .map((word) => quoted(word.replaceAll('{filename}', language.filename)))
      .join(' ')
  const [name = ''] = language.command
  const isThere = name.startsWith('./') ? `test -x ${quoted(name)}` : 'true'
  const script = programs.flatMap(({ code, stdins, timeoutSeconds }) => [
    // The folder that Isopod uses, because programs print it.
    'cd / && rm -rf /workspace && mkdir -p /workspace && cd /workspace',
    `${decoded(code)} > ${quoted(language.filename)}`,
    language.compile ? `${words(language.compile)} > /tmp/compile.log 2>&1 && ${isThere}; echo $?` : 'echo 0',
    ...stdins.map(
      (stdin) =>
        `${decoded(stdin)} | timeout ${timeoutSeconds} ${words(language.command)} > /tmp/stdout 2> /tmp/stderr; echo $? $(base64 -w0 /tmp/stdout)`,
    ),
  ])
  const env = Object.entries(language.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const command = ['run', '--rm', '--network', 'none', ...env, language.image, 'sh', '-c', script.join('\n')]
  const lines = (await docker(dockerHost, ...command)).trimEnd().split('\n')
  return programs.map(({ stdins }) => {
    const built = lines.shift() === '0'
    const runs = stdins.map(() => {
      const [exitCode, stdout = ''] = (lines.shift() ?? '').split(' ')
      return { exitCode: Number(exitCode), stdout: Buffer.from(stdout, 'base64').toString('utf8') }
    })
    return { built, runs }
  })
}

function decoded(text: string): string {
  return `printf %s ${Buffer.from(text).toString('base64') || "''"} | base64 -d`
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
