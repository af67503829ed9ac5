import type { MatchedSource } from '../match.ts'
import { type FactAt, facts, type Rule, rulesOf } from '../rule.ts'
import { baseName } from '../sources.ts'

const DEVICE = '^/dev/(?!(null|zero|full|tty|stdin|stdout|stderr|fd/[0-9]+|shm/.*)$)'

/** The query for Bash: commands with their arguments, and constructs. */
export const BASH_QUERY = `
(command name: (command_name) @name)
(command name: (command_name) @name argument: (_) @argument)
(pipeline (_) . (command name: (command_name) @piped))
(heredoc_redirect (pipeline . (command name: (command_name) @piped)))

((file_redirect destination: (word) @_target) @shape.dev-tcp (#match? @_target "^/dev/(tcp|udp)/"))
((file_redirect [">" ">>" "&>" "&>>" ">|"] destination: (word) @_target) @shape.write-device
 (#match? @_target "${DEVICE}") (#not-match? @_target "^/dev/(tcp|udp)/"))
((function_definition name: (word) @_function body: (compound_statement
   [(pipeline (command name: (command_name (word) @_call))) (command name: (command_name (word) @_call)) "&"]))
  @shape.fork-bomb (#eq? @_function @_call))
`

const IS_DEVICE = new RegExp(DEVICE)
/** `<(…)`: process substitution. */
const SUBSTITUTION = '<('
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh'])
/** Commands that run any file as a script. */
const RUNNERS = new Set([...SHELLS, 'source', '.'])
/** Commands whose arguments decide whether they violate a rule. */
const SHAPED = new Set([...RUNNERS, 'rm', 'find', 'tee', 'dd'])
/** Commands that run the command in their arguments. */
const WRAPPERS = new Set([
  ...['env', 'command', 'builtin', 'exec', 'nohup', 'time', 'nice', 'timeout', 'setsid', 'stdbuf', 'xargs'],
  ...['sudo', 'doas', 'busybox', 'watch', 'ionice', 'taskset', 'unbuffer', 'parallel', 'find', 'coproc'],
])
/** Arguments of a wrapper before the command: options, assignments, durations. */
const BEFORE_COMMAND = /^(-.*|[A-Za-z_]\w*=.*|[\d.]+[smhd]?|)$/

/** Collects the facts of a Bash source. */
export function bashFacts({ matches, others }: MatchedSource): readonly FactAt[] {
  const captures = matches.flat()
  const piped = new Set(captures.flatMap(({ name, start }) => (name === 'piped' ? [start] : [])))
  const shapes = captures.flatMap(({ name, start }): FactAt[] =>
    name.startsWith('shape.') ? [{ kind: 'shape', name: name.slice('shape.'.length), offset: start }] : [],
  )
  const commands = new Map<number, string[]>()
  for (const [name, argument] of matches) {
    if (name?.name !== 'name') continue
    const words = commands.get(name.start) ?? [name.text]
    if (argument !== undefined) words.push(argument.text)
    commands.set(name.start, words)
  }
  const ofCommands = [...commands].flatMap(([offset, words]) =>
    commandFacts(offset, words.map(literal), others, piped.has(offset)),
  )
  return [...shapes, ...ofCommands]
}

/** The facts of one command and of those that it runs: `sudo -u root rm -rf x`. */
function commandFacts(
  offset: number,
  words: readonly (string | undefined)[],
  others: ReadonlySet<string>,
  isPiped: boolean,
): FactAt[] {
  const found: FactAt[] = []
  const emit = (kind: FactAt['kind'], name: string) => void found.push({ kind, name, offset })
  // Positions of commands. No recursion, because wrappers can nest deeply.
  const open = [0]
  const seen = new Set<number>()
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at) || at >= words.length) continue
    seen.add(at)
    const word = words[at]
    if (word === undefined) {
      emit('shape', 'computed-command')
      continue
    }
    const name = baseName(word)
    emit('command', name)
    if (SHAPED.has(name))
      for (const shape of shapesOf(name, words.slice(at + 1), others, isPiped)) emit('shape', shape)
    open.push(...commandsAfter(name, words, at + 1))
  }
  return found
}

/** Possible positions of the command that a wrapper runs. */
function commandsAfter(name: string, words: readonly (string | undefined)[], from: number): number[] {
  if (!WRAPPERS.has(name)) return []
  if (name === 'find') {
    const exec = words.findIndex((word) => /^-(exec|ok)(dir)?$/.test(word ?? ''))
    return exec < 0 ? [] : [exec + 1]
  }
  let at = from
  while (at < words.length && BEFORE_COMMAND.test(words[at] ?? '$')) at++
  // A word after an option may be its value.
  return words[at - 1]?.startsWith('-') ? [at, at + 1] : [at]
}

function shapesOf(
  name: string,
  args: readonly (string | undefined)[],
  others: ReadonlySet<string>,
  isPiped: boolean,
): string[] {
  const has = (short: RegExp, long: string) => args.some((arg = '') => arg === long || short.test(arg))
  const shapes: string[] = []
  if (name === 'rm' && has(/^-\w*[rR]/, '--recursive') && has(/^-\w*f/, '--force')) shapes.push('rm-rf')
  if (name === 'find' && args.includes('-delete')) shapes.push('rm-rf')
  const device = { tee: '', dd: 'of=' }[name]
  if (
    device !== undefined &&
    args.some((arg = '') => arg.startsWith(device) && IS_DEVICE.test(arg.slice(device.length)))
  )
    shapes.push('write-device')
  if (!RUNNERS.has(name)) return shapes
  const [file = '', ...more] = args.filter((arg) => !arg?.startsWith('-'))
  if (others.has(baseName(file))) shapes.push('unchecked-file')
  if (
    args.some((arg = '$', index) => arg === '$' && args.slice(0, index).every((arg) => arg?.startsWith('-')))
  )
    shapes.push('computed-command')
  const readsInput = args.includes('-s') || (file === '' && more.length === 0 && !has(/^-\w*c/, '-c'))
  if (file === SUBSTITUTION || (isPiped && SHELLS.has(name) && readsInput)) shapes.push('pipe-to-shell')
  return shapes
}

/** A word without its quotes; undefined if the shell would expand it. */
function literal(word: string): string | undefined {
  if (word.startsWith(SUBSTITUTION)) return SUBSTITUTION
  return /^(?:"([^"$`\\]*)"|'([^']*)'|([^"'$`\\*?[\]]*))$/
    .exec(word)
    ?.slice(1)
    .find((text) => text !== undefined)
}

const { rule, commands } = rulesOf('bash')

const NETWORK = 'reaches for the network, which a job has only by its profile'
const HOST = 'changes the machine'

/** The rules for Bash. */
export const BASH_RULES: readonly Rule[] = [
  rule('remove-folder', 'command: rm -rf', { standard: 'block', reason: 'removes whole folders' }, [
    ...facts('shape', 'rm-rf'),
  ]),
  rule('fork-bomb', 'function: fork bomb', { standard: 'block', reason: 'starts processes without end' }, [
    ...facts('shape', 'fork-bomb'),
  ]),
  ...commands({ standard: 'block', reason: 'runs text as code' }, 'eval'),
  rule(
    'unchecked-file',
    'command: source of a file that is not source by its name',
    { standard: 'block', reason: 'runs text as code' },
    [...facts('shape', 'unchecked-file')],
  ),
  rule('dev-tcp', 'redirection: /dev/tcp', { standard: 'block', reason: NETWORK }, [
    ...facts('shape', 'dev-tcp'),
  ]),
  rule('write-device', 'redirection: device', { standard: 'block', reason: HOST }, [
    ...facts('shape', 'write-device'),
  ]),
  rule('pipe-to-shell', 'command: pipe into a shell', { standard: 'warn', reason: 'runs text as code' }, [
    ...facts('shape', 'pipe-to-shell'),
  ]),
  rule(
    'computed-command',
    'command: computed name',
    { strict: 'warn', reason: 'reaches names that no check can see' },
    [...facts('shape', 'computed-command')],
  ),
  ...commands(
    { standard: 'warn', reason: NETWORK },
    'curl',
    'wget',
    'nc',
    'socat',
    'telnet',
    'ssh',
    'openssl',
  ),
  rule('network-command', 'command: network tool', { standard: 'warn', reason: NETWORK }, [
    ...facts(
      'command',
      'ncat',
      'netcat',
      'nc.openbsd',
      'nc.traditional',
      'scp',
      'sftp',
      'ftp',
      'tftp',
      'rsync',
    ),
    ...facts('command', 'dig', 'nslookup', 'host', 'ping', 'nmap'),
  ]),
  rule('machine-command', 'command: machine control', { standard: 'warn', reason: HOST }, [
    ...facts('command', 'mkfs', 'mount', 'umount', 'shutdown', 'reboot', 'halt', 'poweroff', 'insmod'),
    ...facts('command', 'modprobe', 'chroot', 'pivot_root', 'iptables', 'sysctl', 'swapoff', 'fdisk'),
  ]),
  rule('other-user', 'command: another user', { standard: 'warn', reason: 'asks for other rights' }, [
    ...facts('command', 'sudo', 'su', 'doas', 'pkexec', 'setcap', 'chattr'),
  ]),
  rule('namespace', 'command: namespaces', { standard: 'warn', reason: 'asks for other rights' }, [
    ...facts('command', 'unshare', 'nsenter', 'setpriv', 'capsh', 'gdb', 'strace'),
  ]),
  rule('process-control', 'command: process control', { reason: 'reaches other processes' }, [
    ...facts('command', 'kill', 'pkill', 'killall', 'nohup', 'setsid', 'disown', 'trap', 'ulimit'),
  ]),
  rule('interpreter', 'command: another interpreter', { reason: 'runs a program that was not checked' }, [
    ...facts('command', 'python', 'python3', 'perl', 'ruby', 'node', 'php', 'awk', 'gcc', 'cc', 'make'),
    ...facts('command', 'gawk', 'mawk', 'lua', 'tclsh', 'deno', 'bun', 'g++', 'clang', 'tcc'),
  ]),
]
