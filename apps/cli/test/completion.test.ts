import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../../../test/support/time-factor.ts'
import type { Shell } from '../src/completion.ts'
import { cli } from './support.ts'

let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isopod-completion-'))
  mkdirSync(join(folder, 'files'))
  for (const name of ['hello.py', 'input.txt']) writeFileSync(join(folder, 'files', name), '')
  for (const shell of ['bash', 'fish', 'zsh']) {
    writeFileSync(join(folder, shell), (await cli(['completion', shell])).stdout)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, args: readonly string[], input = ''): string {
  return execFileSync(program, args, {
    cwd: join(folder, 'files'),
    env: { PATH: process.env['PATH'], HOME: folder, SHELL: '/bin/sh', TERM: 'dumb', LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
    timeout: scaled(20_000),
    input,
  })
}

/** Completes each line as the shell would; a line without a completion comes back unchanged. */
type Complete = (lines: readonly string[]) => string[]

/** Types each line and a tab into a shell on a terminal. Ctrl-T then appends the completed line to a file and clears it. */
function atTerminal(shell: Shell, program: string, keep: string, lines: readonly string[]): string[] {
  const kept = join(folder, `${shell}.kept`)
  const commands = [`PS1='> '; source ${join(folder, shell)}`, keep.replaceAll('KEPT', kept)]
  const typed = lines.map((line) => `${line}\t\x14`).join('')
  run('script', ['-qec', program, '/dev/null'], `${commands.join('\n')}\n${typed}exit\n`)
  return readFileSync(kept, 'utf8').trimEnd().split('\n')
}

const SHELLS: Record<Shell, Complete> = {
  bash: (lines) =>
    atTerminal(
      'bash',
      'bash --norc',
      `keep() { printf '%s\\n' "$READLINE_LINE" >> KEPT; READLINE_LINE=; }; bind -x '"\\C-t": keep'`,
      lines,
    ),
  zsh: (lines) =>
    atTerminal(
      'zsh',
      'zsh -f -i',
      `keep() { print -r -- "$BUFFER" >> KEPT; BUFFER= }; zle -N keep; bindkey '^T' keep '^I' complete-word`,
      lines,
    ),
  fish: (lines) =>
    lines.map((line) => {
      const script = `source ${join(folder, 'fish')}; complete -C ${JSON.stringify(line)}`
      const [word = '', ...others] = run('fish', ['--no-config', '-c', script]).trimEnd().split('\n')
      const start = line.slice(0, line.lastIndexOf(' ') + 1)
      return others.length > 0 || word === '' ? line : `${start}${word.replace(/\t.*/, '')}`
    }),
}

const COMPLETED: Record<string, string> = {
  'isopod gr': 'isopod grade',
  'isopod keys cr': 'isopod keys create',
  'isopod run --ti': 'isopod run --timeout',
  'isopod roots imp': 'isopod roots import',
  'isopod keys create --pe': 'isopod keys create --per-minute',
  'isopod run --reuse b': 'isopod run --reuse batch',
  'isopod run --reuse=b': 'isopod run --reuse=batch',
  'isopod run -l pyt': 'isopod run -l python',
  'isopod grade -d hum': 'isopod grade -d humaneval',
  'isopod completion fi': 'isopod completion fish',
  'isopod run hel': 'isopod run hello.py',
  'isopod run --stdin inp': 'isopod run --stdin input.txt',
  'isopod grade -s inp': 'isopod grade -s input.txt',
  // Completes neither a subcommand of another command nor another command's option.
  'isopod run --tenant cr': 'isopod run --tenant cr',
  'isopod keys list --na': 'isopod keys list --na',
}

/** Arguments that are not files. Old releases of bash complete file names there nevertheless, so bash is not tested. */
const NO_FILE: Record<string, string> = {
  'isopod result hel': 'isopod result hel',
  'isopod run --timeout inp': 'isopod run --timeout inp',
}

describe.each(Object.entries(SHELLS))('the completion script for %s', (shell, complete) => {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined

  it('completes commands, options, their values and file names', (context) => {
    context.skip(isMissing, `${shell} is not installed`)
    const wanted = shell === 'bash' ? COMPLETED : { ...COMPLETED, ...NO_FILE }
    const lines = Object.keys(wanted)
    const completed = complete(lines).map((line) => line.trimEnd())
    expect(Object.fromEntries(lines.map((line, at) => [line, completed[at]]))).toEqual(wanted)
  })

  it('contains every option of isopod submit', async () => {
    const { stdout: help } = await cli(['submit', '--help'])
    const options = [...help.matchAll(/^ .* --([a-z-]+)/gm)].map(([, name]) => name ?? '')
    expect(options.length).toBeGreaterThan(15)
    const script = readFileSync(join(folder, shell), 'utf8')
    for (const name of options) expect(script).toContain(shell === 'fish' ? `-l ${name} ` : `--${name}`)
  })
})

it('isopod completion refuses another shell and lists the supported ones', async () => {
  const refused = { exitCode: 2, stderr: expect.stringContaining('bash, fish, zsh') }
  expect(await cli(['completion', 'tcsh'])).toMatchObject(refused)
})
