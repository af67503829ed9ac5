import type { Command, Option } from 'commander'
import { LANGUAGE_EXTENSIONS } from './input/language-extensions.ts'

/** A command, and the words that lead to it: `keys create`. */
interface Path {
  readonly words: string
  readonly command: Command
}

/** A shell that can complete words. */
export type Shell = 'bash' | 'fish' | 'zsh'

/** The script that completes commands, options, their values and file names in a shell. */
export function completionScript(shell: Shell, program: Command): string {
  return { bash, fish, zsh }[shell](pathsOf(program))
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: bash fills it in
const BASH_WORD = '${COMP_WORDS[at]}'

function bash(paths: readonly Path[]): string {
  const values = valueCases(paths, (known) =>
    typeof known === 'string' ? '' : `COMPREPLY=($(compgen -W ${quoted(known.join(' '))} -- "$cur")); `,
  )
  const words = paths.map(({ words, command }) => {
    const flags = optionsOf(command).flatMap(flagsOf)
    const names = [...command.commands.map((one) => one.name()), ...argumentWords(command)]
    return `    ${quoted(words)}) flags=${quoted(flags.join(' '))} names=${quoted(names.join(' '))} ;;`
  })
  return `_isopod() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="" flags="" names="" at
  # Bash treats the sign in --option=value as a word of its own.
  if [[ "$cur" == "=" ]]; then cur=""
  elif [[ "$prev" == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
${commandSteps(paths, BASH_WORD)}
  done
  COMPREPLY=()
  case "$command $prev" in
${values}
  esac
  case "$command" in
${words.join('\n')}
  esac
  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n "$names" ]]; then COMPREPLY=($(compgen -W "$names" -- "$cur"))
  fi
}
complete -o default -F _isopod isopod
`
}

function zsh(paths: readonly Path[]): string {
  const values = valueCases(paths, (known) => {
    if (typeof known === 'string') return known === 'file' ? '_files; ' : ''
    return `compadd -- ${known.map(quoted).join(' ')}; `
  })
  const words = paths.map(({ words, command }) => {
    const flags = optionsOf(command).flatMap((option) =>
      flagsOf(option).map((flag) => described(flag, option.description)),
    )
    const names = [
      ...command.commands.map((one) => described(one.name(), one.description())),
      ...argumentWords(command).map(quoted),
    ]
    return `    ${quoted(words)}) flags=(${flags.join(' ')}) names=(${names.join(' ')}) files=${takesFiles(command)} ;;`
  })
  return `#compdef isopod
_isopod() {
  local cur="$words[CURRENT]" prev="$words[CURRENT-1]" command="" files=false at
  local -a flags names
  if [[ "$cur" == --*=* ]]; then prev="\${cur%%=*}"; compset -P '*='; fi
  for ((at = 2; at < CURRENT; at++)); do
${commandSteps(paths, '$words[at]')}
  done
  case "$command $prev" in
${values}
  esac
  case "$command" in
${words.join('\n')}
  esac
  if [[ "$cur" == -* ]]; then _describe -o option flags
  elif (( $#names )); then _describe command names
  elif $files; then _files
  fi
}
# Run as a function of fpath, or read by .zshrc.
if [[ "$funcstack[1]" == _isopod ]]; then
  _isopod "$@"
else
  (( $+functions[compdef] )) || { autoload -U compinit && compinit }
  compdef _isopod isopod
fi
`
}

function fish(paths: readonly Path[]): string {
  const steps = stepsOf(paths).map(({ before, word, words }) => {
    return `      case ${quoted(`${before} ${word}`)}\n        set command ${quoted(words)}`
  })
  const lines = paths.flatMap(({ words, command }) => {
    const entry = (rest: string, text = '') =>
      `complete -c isopod -n ${quoted(`__isopod_at ${words}`.trim())} ${rest}${text && ` -d ${quoted(text)}`}`
    return [
      ...(takesFiles(command) ? [entry('-F')] : []),
      ...command.commands.map((one) => entry(`-a ${one.name()}`, one.description())),
      ...argumentWords(command).map((word) => entry(`-a ${word}`)),
      ...optionsOf(command).map((option) => entry(fishFlags(option), option.description)),
    ]
  })
  return `function __isopod_at
  set -l command ''
  for word in (commandline -opc)[2..]
    switch "$command $word"
${steps.join('\n')}
    end
  end
  test "$command" = "$argv"
end
complete -c isopod -f
${lines.join('\n')}
`
}

function fishFlags(option: Option): string {
  const { short, long } = option
  const known = valuesOf(option)
  return [
    short === undefined ? '' : `-s ${short.slice(1)}`,
    long === undefined ? '' : `-l ${long.slice(2)}`,
    known === undefined ? '' : known === 'file' ? '-r -F' : '-x',
    typeof known === 'object' ? `-a ${quoted(known.join(' '))}` : '',
  ]
    .filter((word) => word !== '')
    .join(' ')
}

/** A word that leads from one path to the next. */
interface Step {
  readonly before: string
  readonly word: string
  readonly words: string
}

function stepsOf(paths: readonly Path[]): Step[] {
  return paths.flatMap(({ words }) => {
    const [word = '', ...before] = words.split(' ').toReversed()
    return word === '' ? [] : [{ before: before.toReversed().join(' '), word, words }]
  })
}

/** For bash and zsh: finds the command that the words before the cursor lead to. */
function commandSteps(paths: readonly Path[], word: string): string {
  const cases = stepsOf(paths).map(
    ({ before, word, words }) => `      ${quoted(`${before} ${word}`)}) command=${quoted(words)} ;;`,
  )
  return [`    case "$command ${word}" in`, ...cases, '    esac'].join('\n')
}

/** For bash and zsh: one case for each option with a value, with what completes it. */
function valueCases(paths: readonly Path[], reply: (values: Values) => string): string {
  return paths
    .flatMap(({ words, command }) =>
      optionsOf(command).flatMap((option) => {
        const values = valuesOf(option)
        if (values === undefined) return []
        const patterns = flagsOf(option).map((flag) => quoted(`${words} ${flag}`))
        return `    ${patterns.join('|')}) ${reply(values)}return ;;`
      }),
    )
    .join('\n')
}

/** What can follow an option: one of some words, a file, or text that no shell can know. */
type Values = readonly string[] | 'file' | 'text'

function valuesOf({ argChoices, flags, long, required }: Option): Values | undefined {
  if (!required) return undefined
  if (long === '--language') return Object.keys(LANGUAGE_EXTENSIONS)
  return argChoices ?? (/<(file|json)>/.test(flags) ? 'file' : 'text')
}

function pathsOf(command: Command, words = ''): Path[] {
  const below = command.commands.flatMap((one) => pathsOf(one, `${words} ${one.name()}`.trim()))
  return [{ words, command }, ...below]
}

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command)
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag !== undefined)
}

function argumentWords(command: Command): readonly string[] {
  return command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
}

function takesFiles(command: Command): boolean {
  return command.registeredArguments.some((argument) => argument.name() === 'file')
}

/** For zsh: a word and what it means. */
function described(word: string, meaning: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${meaning}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
