// Methods by which an object of the code would judge itself, or say what the script expects.
/** Methods of built-in types by which an object would judge itself. */
const QUERIES = [
  ...'every some includes indexOf lastIndexOf startsWith endsWith find findIndex findLast findLastIndex filter'.split(' '),
  ...'localeCompare hasOwnProperty propertyIsEnumerable isPrototypeOf isSubsetOf isSupersetOf isDisjointFrom'.split(' '),
]
/** Those that return what a function chooses, and not whether there is any. */
const FINDERS = ['find', 'findLast', 'filter']
/** More of them, which are common names of other methods as well. */
const BUILT_IN_QUERIES = [...QUERIES, 'has', 'test', 'exec', 'equals']
/** Queries of texts if they get a pattern, and of bytes if they get bytes. */
const TEXT_QUERIES = ['match', 'matchAll', 'search']
const BYTES_QUERIES = ['compare', 'equals']
/** Methods of built-in types that code may have of its own: they change an object, or tell a value. */
const OVERRIDABLE = new Set(['constructor', 'toJSON', 'toLocaleString', ...CONVERSIONS])
for (const name of 'get set add delete clear push pop shift unshift'.split(' ')) OVERRIDABLE.add(name)
/** Types → their methods that an object of the code must not have of its own. */
const METHODS = new Map([...PROTOTYPES.keys()].map((type) => [type, methodsOf(type)]))
/** Kinds of objects whose methods a script takes for those of the built-in type. */
const BUILT_IN_KINDS = { array: 'Array', map: 'Map', set: 'Set', date: 'Date', regexp: 'RegExp', boxed: 'String' }
/** Methods by which an operation of a text asks any object. */
const PATTERNS = [Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.search, Symbol.split]
/** Methods of built-in types that get what a script expects, and could return just that. */
const ECHOES = ['union', 'concat', 'replace', 'replaceAll', 'intersection', 'difference', 'symmetricDifference']
/** Methods by which an operation of Node, or a script, has an object tell or do something. */
const ASKED = new Set([
  ...[...BUILT_IN_QUERIES, ...TEXT_QUERIES, ...BYTES_QUERIES, ...ECHOES, ...PATTERNS, Symbol.hasInstance],
  ...'then catch finally get toJSON'.split(' '),
])

/** Whether a script takes a method of that name for one of a built-in type. */
function isAsked(key) {
  return ASKED.has(key) || (METHODS.get('Array').includes(key) && key !== 'length' && !OVERRIDABLE.has(key))
}

/** The methods of a built-in type, but those that code may have of its own. */
function methodsOf(type) {
  const names = []
  let at = PROTOTYPES.get(type)
  for (; at !== null && at !== Object.prototype; at = getPrototypeOf(at)) names.push(...ownKeys(at))
  return names.filter((name) => !OVERRIDABLE.has(name))
}
