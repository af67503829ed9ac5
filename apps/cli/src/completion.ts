import type { Command, Option } from 'commander'

/** A command with the words that lead to it: `keys create`. */
interface Path {
  readonly words: string
  readonly command: Command
}

/** A shell that can complete words. */
export type Shell = 'bash' | 'fish' | 'zsh'

/** The script that completes commands, options and their choices in a shell. */
export function completionScript(shell: Shell, program: Command): string {
  if (shell === 'fish') return fish(program)
  const script = bash(program)
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
}

function bash(program: Command): string {
  const paths = pathsOf(program)
  const steps = paths
    .filter(({ words }) => words !== '')
    .map(({ words }) => {
      const [first, last = first] = words.split(' ')
      const before = first === last ? '' : first
      return `      ${quoted(`${before} ${last}`)}) command=${quoted(words)} ;;`
    })
  const values = paths.flatMap(({ words, command }) =>
    optionsOf(command).flatMap((option) =>
      option.argChoices === undefined
        ? []
        : [option.short, option.long]
            .filter((flag) => flag !== undefined)
            .map(
              (flag) =>
                `    ${quoted(`${words} ${flag}`)}) COMPREPLY=($(compgen -W ${quoted((option.argChoices ?? []).join(' '))} -- "$cur")); return ;;`,
            ),
    ),
  )
  const words = paths.map(({ words, command }) => {
    const flags = optionsOf(command).flatMap(({ short, long }) => [short, long].filter(Boolean))
    const names = [...command.commands.map((one) => one.name()), ...argumentWords(command)]
    return `    ${quoted(words)}) flags=${quoted(flags.join(' '))} names=${quoted(names.join(' '))} ;;`
  })
  return [
    '_isopod() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="" flags="" names="" at',
    '  for ((at = 1; at < COMP_CWORD; at++)); do',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
    '    case "$command ${COMP_WORDS[at]}" in',
    ...steps,
    '    esac',
    '  done',
    '  case "$command $prev" in',
    ...values,
    '  esac',
    '  case "$command" in',
    ...words,
    '  esac',
    '  COMPREPLY=()',
    '  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))',
    '  elif [[ -n "$names" ]]; then COMPREPLY=($(compgen -W "$names" -- "$cur"))',
    '  fi',
    '}',
    'complete -o default -F _isopod isopod',
    '',
  ].join('\n')
}

function fish(program: Command): string {
  const lines = pathsOf(program).flatMap(({ words, command }) => {
    const seen = words.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
    const when = words === '' ? '__fish_use_subcommand' : seen.join('; and ')
    const entry = (rest: string, text: string) =>
      `complete -c isopod -n ${quoted(when)} ${rest} -d ${quoted(text)}`
    return [
      ...command.commands.map((one) => entry(`-f -a ${one.name()}`, one.description())),
      ...argumentWords(command).map((word) => entry(`-f -a ${word}`, '')),
      ...optionsOf(command).map((option) => entry(fishFlags(option), option.description)),
    ]
  })
  return `${lines.join('\n')}\n`
}

function fishFlags({ short, long, required, argChoices }: Option): string {
  return [
    short === undefined ? '' : `-s ${short.slice(1)}`,
    long === undefined ? '' : `-l ${long.slice(2)}`,
    required ? '-r' : '',
    argChoices === undefined ? '' : `-f -a ${quoted(argChoices.join(' '))}`,
  ]
    .filter((word) => word !== '')
    .join(' ')
}

function pathsOf(command: Command, words = ''): Path[] {
  const below = command.commands.flatMap((one) => pathsOf(one, `${words} ${one.name()}`.trim()))
  return [{ words, command }, ...below]
}

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command)
}

function argumentWords(command: Command): readonly string[] {
  return command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
