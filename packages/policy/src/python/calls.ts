import { character } from '../tree/escapes.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { joined, path, pathsOf, text, textsOf, UNKNOWN, union, type Values } from '../tree/value.ts'
import { item, member } from './evaluate.ts'
import { nameOf } from './scopes.ts'

/** What a call needs to know of its surroundings. */
export interface CallContext {
  values(node: SyntaxNode): Values
  /** What a name is here. */
  global(name: string): Values
}

/** The positional arguments of a call, and those with a name. */
export function argumentsOf(node: SyntaxNode): {
  readonly positional: readonly SyntaxNode[]
  readonly named: ReadonlyMap<string, SyntaxNode>
  /** Whether some of them are spread from a list or dictionary. */
  readonly spread: boolean
} {
  const list = node.at('arguments')
  const positional: SyntaxNode[] = []
  const named = new Map<string, SyntaxNode>()
  let spread = false
  for (const child of list?.type === 'argument_list' ? list.children : []) {
    if (child.type === 'keyword_argument') {
      const [name, value] = [child.at('name'), child.at('value')]
      if (name && value) named.set(nameOf(name), value)
    } else if (child.type === 'list_splat' || child.type === 'dictionary_splat') spread = true
    else if (child.type !== 'comment') positional.push(child)
  }
  return { positional, named, spread }
}

/** What a call may return, for the calls that get at names: `getattr`, imports, and those that make texts. */
export function call(node: SyntaxNode, context: CallContext): Values {
  const callee = node.at('function')
  if (callee === undefined) return UNKNOWN
  const { positional } = argumentsOf(node)
  const args = positional.map(context.values)
  const [first = UNKNOWN, second = UNKNOWN] = args
  const found = pathsOf(context.values(callee)).map((name): Values => {
    switch (name) {
      case 'builtins.getattr':
        return member(first, textsOf(second))
      case 'builtins.__import__':
      case 'importlib.__import__':
        return union(textsOf(first).flatMap((module) => [path(module), path(module.split('.', 1)[0] ?? '')]))
      case 'importlib.import_module':
        return union(textsOf(first).map(path))
      case 'builtins.globals':
      case 'builtins.locals':
        return path('builtins.globals()')
      case 'builtins.vars':
        return positional.length === 0 ? path('builtins.globals()') : member(first, ['__dict__'])
      case 'builtins.chr':
        return union(textsOf(first).map((code) => text(character(Number(code)))))
      case 'builtins.str':
        return first
      case 'builtins.bytes':
      case 'builtins.bytearray':
        return joined(
          listed(node, context).map((code) => union(textsOf(code).map((n) => text(character(Number(n)))))),
        )
      default:
        return UNKNOWN
    }
  })
  return union([...found, method(callee, args, context)])
}

/** Methods of name spaces (`.get('eval')`) and of texts (`.join`, `.lower()`). */
function method(callee: SyntaxNode, args: readonly Values[], context: CallContext): Values {
  const [object, name] = [callee.at('object'), callee.at('attribute')]
  if (callee.type !== 'attribute' || object === undefined || name === undefined) return UNKNOWN
  const base = context.values(object)
  const texts = textsOf(base)
  const [first = UNKNOWN, second = UNKNOWN] = args
  switch (nameOf(name)) {
    case 'get':
    case 'pop':
    case '__getitem__':
      return item(base, textsOf(first), context.global)
    case '__getattribute__':
    case '__getattr__':
      return member(base, textsOf(first))
    case 'decode':
    case 'encode':
    case 'strip':
      return base
    case 'lower':
      return union(texts.map((value) => text(value.toLowerCase())))
    case 'upper':
      return union(texts.map((value) => text(value.toUpperCase())))
    case 'replace': {
      const [[from], [to]] = [textsOf(first), textsOf(second)]
      if (from === undefined || to === undefined) return UNKNOWN
      return union(texts.map((value) => text(value.replaceAll(from, () => to))))
    }
    case 'join':
      return union(texts.map((separator) => joined(listed(callee.parent, context), separator)))
    default:
      return UNKNOWN
  }
}

/** The elements of the list that is the first argument, if it is written out. */
function listed(node: SyntaxNode | undefined, context: CallContext): Values[] {
  const list = node === undefined ? undefined : argumentsOf(node).positional[0]
  if (list?.type !== 'list' && list?.type !== 'tuple') return [UNKNOWN]
  return list.children.length > 64 ? [UNKNOWN] : list.children.map(context.values)
}
