import type { Sighting } from '../finding.ts'
import type { Fact } from '../rule.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { textsOf } from '../tree/value.ts'
import { wordsOf } from './words.ts'

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh'])
/** Commands that run the command in their arguments. */
const WRAPPERS = new Set([
  ...['env', 'command', 'builtin', 'exec', 'nohup', 'time', 'nice', 'timeout', 'setsid', 'stdbuf', 'xargs'],
  ...[
    'sudo',
    'doas',
    'busybox',
    'watch',
    'ionice',
    'taskset',
    'unbuffer',
    'parallel',
    'find',
    'coproc',
    'hash',
  ],
])
/** Commands that run the script behind `-c`, as shells do. */
const SCRIPTED = new Set([...SHELLS, 'su', 'script', 'flock'])
/** Arguments of a wrapper that stand before the command: options, settings, durations. */
const BEFORE_COMMAND = /^(-.*|[A-Za-z_]\w*=.*|[\d.]+[smhd]?|\{\}|)$/
const DEVICE = /^\/dev\/(?!(null|zero|full|tty|stdin|stdout|stderr|fd\/\d+|shm\/.*)$)/

/** What a script says, and the texts in it that it runs as scripts. */
export interface BashSightings {
  readonly sightings: readonly Sighting[]
  /** `bash -c '…'`. */
  readonly scripts: readonly string[]
}

/**
 * Everything in a Bash script that a rule may ask for.
 *
 * @param others base names of the job's files that nobody reads as source; `source` runs any file, whatever it is called
 */
export function sightBash(
  nodes: readonly SyntaxNode[],
  others: ReadonlySet<string> = new Set(),
): BashSightings {
  const word = wordsOf(nodes)
  const sightings: Sighting[] = []
  const scripts: string[] = []
  const say = (node: SyntaxNode, kind: Fact['kind'], name: string) =>
    void sightings.push({ kind, name, offset: node.start })
  const texts = (node: SyntaxNode | undefined) => (node === undefined ? [] : textsOf(word(node)))

  for (const node of nodes) {
    if (node.type === 'command') sightCommand(node)
    else if (node.type === 'file_redirect') sightRedirect(node)
    else if (node.type === 'function_definition') sightFunction(node)
    else if (node.type === 'pipeline') sightPipeline(node)
  }
  return { sightings, scripts }

  function sightCommand(node: SyntaxNode): void {
    const name = node.at('name')
    if (name === undefined) return
    const args = node.children.filter(({ field }) => field === 'argument')
    const names = texts(name)
    if (names.length === 0) say(node, 'shape', 'computed-command')
    for (const text of names) {
      sayCommand(node, text, args)
      // Without quotes, a value of several words is a command and its arguments.
      if (/\s/.test(text)) scripts.push(text)
    }
    if (names.some((text) => SHELLS.has(baseName(text)))) sightInput(node)
  }

  /** What a shell is given to read is a script: `bash <<< 'curl x'`, `bash <<END`. */
  function sightInput({ parent, children }: SyntaxNode): void {
    const around = parent?.type === 'redirected_statement' ? parent.children : []
    for (const redirect of [...children, ...around]) {
      if (redirect.type === 'herestring_redirect') runScript(redirect, redirect.children)
      if (redirect.type === 'file_redirect') sightFile(redirect, redirect.children)
      const body = redirect.type === 'heredoc_redirect' ? redirect.first('heredoc_body') : undefined
      if (body !== undefined) scripts.push(body.text)
    }
  }

  /** One command and, if it runs another, that one, and so on. */
  function sayCommand(node: SyntaxNode, first: string, args: readonly SyntaxNode[]): void {
    let [name, rest] = [baseName(first), args]
    for (;;) {
      say(node, 'command', name)
      if (/[*?[\]{}]/.test(name) && name !== '[' && name !== '[[') say(node, 'shape', 'computed-command')
      sightArguments(node, name, rest)
      if (!WRAPPERS.has(name)) return
      const skip = name === 'find' ? executed(rest) : rest.findIndex((arg) => !isBefore(arg))
      const next = skip < 0 ? undefined : rest[skip]
      if (next === undefined) return
      const [text] = texts(next)
      if (text === undefined) {
        say(node, 'shape', 'computed-command')
        return
      }
      // After an option it may be the option's value: `sudo -u root rm`, `nice -n 5 rm`.
      const previous = skip > 0 ? rest[skip - 1] : undefined
      const perhapsValue = texts(previous).some((option) => option.startsWith('-'))
      rest = rest.slice(skip + 1)
      if (perhapsValue && rest.length > 0 && name !== 'find') {
        say(node, 'command', baseName(text))
        sightArguments(node, baseName(text), rest)
      } else name = baseName(text)
    }
  }

  function isBefore(arg: SyntaxNode): boolean {
    const found = texts(arg)
    return found.length > 0 && found.every((text) => BEFORE_COMMAND.test(text))
  }

  /** Where in the arguments of `find` the command stands that it runs. */
  function executed(args: readonly SyntaxNode[]): number {
    const at = args.findIndex((arg) => texts(arg).some((text) => /^-(exec|ok)(dir)?$/.test(text)))
    return at < 0 ? -1 : at + 1
  }

  function sightArguments(node: SyntaxNode, name: string, args: readonly SyntaxNode[]): void {
    const given = args.flatMap(texts)
    const has = (short: string, long: string) =>
      given.some((arg) => arg === long || (/^-[A-Za-z]+$/.test(arg) && arg.includes(short)))
    if (name === 'rm' && (has('r', '--recursive') || has('R', '--recursive')) && has('f', '--force')) {
      say(node, 'shape', 'rm-rf')
    }
    if (name === 'find' && given.includes('-delete')) say(node, 'shape', 'rm-rf')
    if (given.some((arg) => /\/dev\/(tcp|udp)\//.test(arg))) say(node, 'shape', 'dev-tcp')
    if (name === 'tee' && given.some((arg) => DEVICE.test(arg))) say(node, 'shape', 'write-device')
    if (name === 'dd' && given.some((arg) => arg.startsWith('of=') && DEVICE.test(arg.slice(3)))) {
      say(node, 'shape', 'write-device')
    }
    if (SCRIPTED.has(name)) {
      const option = args.findIndex((arg) => texts(arg).some((text) => /^-\w*c\w*$/.test(text)))
      if (option >= 0) runScript(node, args.slice(option + 1))
      else sightSourced(node, args)
    }
    if (name === 'trap') runScript(node, args)
    if (name === 'source' || name === '.') {
      sightSourced(node, args)
      if (args[0] !== undefined && texts(args[0]).length === 0) say(node, 'shape', 'computed-command')
    }
    if (name === 'alias') scripts.push(...given.flatMap((arg) => /^[^=]+=(.*)$/s.exec(arg)?.[1] ?? []))
    if (name === 'eval') scripts.push(given.join(' '))
  }

  /** The first argument that is no option is a script; one that nobody can tell is a command that nobody can tell. */
  function runScript(node: SyntaxNode, args: readonly SyntaxNode[]): void {
    const script = args.find((arg) => !texts(arg).some((text) => /^[-+]/.test(text)))
    if (script === undefined) return
    const found = texts(script)
    scripts.push(...found)
    if (found.length > 0) return
    say(node, 'shape', 'computed-command')
    // What stands around `$1` can be read.
    if (script.type === 'string') scripts.push(script.text.slice(1, -1))
  }

  /** `source <(…)` and `bash <(…)` run what nobody has read, as `… | sh` does. */
  function sightSourced(node: SyntaxNode, args: readonly SyntaxNode[]): void {
    const read = ({ type }: SyntaxNode) => type === 'process_substitution'
    sightFile(node, args)
    if (args.some(read) || args.flatMap(texts).includes('/dev/stdin')) say(node, 'shape', 'pipe-to-shell')
  }

  /** The first argument that is no option is a file that is run. */
  function sightFile(node: SyntaxNode, args: readonly SyntaxNode[]): void {
    const file = args.find((arg) => !texts(arg).some((text) => /^[-+]/.test(text)))
    if (texts(file).some((text) => isOther(baseName(text)))) say(node, 'shape', 'unchecked-file')
  }

  /** Whether a name, or a pattern, is that of a file that nobody reads as source. A pattern could be any of these. */
  function isOther(name: string): boolean {
    return others.has(name) || (others.size > 0 && /[*?[{]/.test(name))
  }

  function sightRedirect(node: SyntaxNode): void {
    for (const target of node.children.flatMap(texts)) {
      if (/^\/dev\/(tcp|udp)\//.test(target)) say(node, 'shape', 'dev-tcp')
      else if (DEVICE.test(target) && /^\d*(>|&>|<>)/.test(node.text)) say(node, 'shape', 'write-device')
    }
  }

  /** A function that starts itself more than once, or itself in the background or in a pipe. */
  function sightFunction(node: SyntaxNode): void {
    const own = node.at('name')?.text
    const body = node.at('body')
    if (own === undefined || body === undefined) return
    let calls = 0
    let piped = false
    const open = [body]
    for (let child = open.pop(); child !== undefined; child = open.pop()) {
      if (child.type === 'command' && texts(child.at('name')).includes(own)) {
        calls++
        piped ||= child.parent?.type === 'pipeline'
      }
      open.push(...child.children)
    }
    const background = /[^&>|]&(?![&>])/.test(body.text)
    if (calls > 0 && (piped || background)) say(node, 'shape', 'fork-bomb')
  }

  /** `… | sh` runs what nobody has read. */
  function sightPipeline(node: SyntaxNode): void {
    // In `cat <<E | sh` the pipeline begins with what it pipes into.
    const commands = node.parent?.type === 'heredoc_redirect' ? node.children : node.children.slice(1)
    for (const command of commands) {
      const words = command.children.filter(({ field }) => field === 'name' || field === 'argument')
      const shell = words.findIndex((word) => !isBefore(word) && !texts(word).some(isWrapper))
      const args = words.slice(shell + 1).flatMap(texts)
      const bare = args.every((arg) => arg.startsWith('-') && !arg.includes('c')) || args.includes('-s')
      if (bare && shell >= 0 && texts(words[shell]).some((name) => SHELLS.has(baseName(name)))) {
        say(command, 'shape', 'pipe-to-shell')
      }
    }
  }
}

function isWrapper(command: string): boolean {
  return WRAPPERS.has(baseName(command))
}

/** A command without its folder. */
function baseName(command: string): string {
  return command.slice(command.lastIndexOf('/') + 1)
}
