import type { MatchedSource } from '../match.ts'
import { nameFacts } from '../name-facts.ts'
import { type FactAt, facts, type Rule, rulesOf } from '../rule.ts'
import { baseName } from '../sources.ts'

/** `require('fs')`, `import('fs')`. The query must restrict `@_require` with `#any-of?`. */
const LOAD = `(call_expression function: [(identifier) (import)] @_require
  arguments: (arguments . (string (string_fragment) @module)))`
/** A loaded module, or a member of it. */
const LOADED = `[${LOAD} (await_expression ${LOAD}) (parenthesized_expression (await_expression ${LOAD}))
  (member_expression object: ${LOAD} property: (property_identifier) @member)]`
/** A called function, under any of its names. */
const CALLEE = `[(identifier) @root
  (member_expression object: (identifier) @root property: (property_identifier) @member)
  (member_expression
    object: (member_expression object: (identifier) @root property: (property_identifier) @member)
    property: (property_identifier) @member)]`
const IS_LOAD = '(#any-of? @_require "require" "import")'
/** An expression whose value only the program's run determines. */
const COMPUTED = `[(identifier) (member_expression) (subscript_expression) (call_expression) (binary_expression)
  (ternary_expression) (template_string (template_substitution))]`

const SHARED_QUERY = `
[(function_declaration) (function_expression) (arrow_function) (method_definition) (generator_function)
 (generator_function_declaration) (statement_block) (for_statement) (for_in_statement) (catch_clause)] @scope

(function_declaration name: (identifier) @own.outside)
(generator_function_declaration name: (identifier) @own.outside)
(function_expression name: (identifier) @own)
(class_declaration name: (_) @own)
(variable_declarator name: (identifier) @own)
(arrow_function parameter: (identifier) @own)
(catch_clause parameter: (identifier) @own)
(for_in_statement kind: _ left: (identifier) @own)
(rest_pattern (identifier) @own)
(array_pattern (identifier) @own)
(assignment_pattern left: (identifier) @own)
(pair_pattern value: (identifier) @own)
(shorthand_property_identifier_pattern) @own

(import_statement source: (string (string_fragment) @module))
(export_statement source: (string (string_fragment) @module))
(import_statement (import_clause (identifier) @bound) source: (string (string_fragment) @module))
(import_statement (import_clause (namespace_import (identifier) @bound))
  source: (string (string_fragment) @module))
(import_statement
  (import_clause (named_imports (import_specifier name: (identifier) @member @bound !alias)))
  source: (string (string_fragment) @module))
(import_statement
  (import_clause (named_imports (import_specifier name: (identifier) @member alias: (identifier) @bound)))
  source: (string (string_fragment) @module))
(export_statement (export_clause (export_specifier name: (identifier) @member))
  source: (string (string_fragment) @module))
(import_specifier name: (identifier) @ignored)

(${LOAD} ${IS_LOAD})
((variable_declarator name: (identifier) @bound value: ${LOADED}) ${IS_LOAD})
((variable_declarator
   name: (object_pattern (shorthand_property_identifier_pattern) @member @bound) value: ${LOADED}) ${IS_LOAD})
((variable_declarator
   name: (object_pattern (pair_pattern key: (property_identifier) @member value: (identifier) @bound))
   value: ${LOADED}) ${IS_LOAD})
((member_expression object: ${LOADED} property: (property_identifier) @member) ${IS_LOAD})

(identifier) @root
(shorthand_property_identifier) @root
(member_expression object: (identifier) @root property: (property_identifier) @member)
(member_expression
  object: (member_expression object: (identifier) @root property: (property_identifier) @member)
  property: (property_identifier) @member)
(variable_declarator
  name: (object_pattern [(shorthand_property_identifier_pattern) @member
                         (pair_pattern key: (property_identifier) @member)])
  value: (identifier) @root)
(member_expression) @attribute
(pair_pattern key: (property_identifier) @attribute)
(object_pattern (shorthand_property_identifier_pattern) @attribute)

([(call_expression function: (identifier) @root) (new_expression constructor: (identifier) @root)] @shape.call
 (#eq? @root "Function"))
((call_expression
   function: ${CALLEE}
   arguments: (arguments . (_) . (string (string_fragment) @_flags))) @shape.write-mode
 (#match? @_flags "^[wax]|[+]"))
((call_expression
   function: (member_expression object: ${LOADED} property: (property_identifier) @member)
   arguments: (arguments . (_) . (string (string_fragment) @_flags))) @shape.write-mode
 ${IS_LOAD} (#match? @_flags "^[wax]|[+]"))
(subscript_expression object: (identifier) @root index: ${COMPUTED}) @shape.computed-member
((call_expression function: [(identifier) (import)] @_require arguments: (arguments . ${COMPUTED}))
  @shape.computed-import ${IS_LOAD})
(with_statement) @shape.with-statement
`

/** The query for JavaScript; see `nameFacts` for the captures. */
export const JAVASCRIPT_QUERY = `${SHARED_QUERY}
(formal_parameters (identifier) @own)
`

/** The query for TypeScript; types do not exist at run time. */
export const TYPESCRIPT_QUERY = `${SHARED_QUERY}
(required_parameter pattern: (identifier) @own)
(optional_parameter pattern: (identifier) @own)
(enum_declaration name: (identifier) @own)
(import_statement (import_require_clause (identifier) @bound source: (string (string_fragment) @module)))
(import_statement "type" source: (string (string_fragment) @erased))
(export_statement "type" source: (string (string_fragment) @erased))
`

/** Collects the facts of a JavaScript or TypeScript source. */
export function javascriptFacts({ matches, others }: MatchedSource): readonly FactAt[] {
  return nameFacts(matches, {
    // `node:fs/promises` is `fs.promises`. `require` runs every file except JSON.
    modulesOf: (text) => {
      if (text.startsWith('data:')) return ['data:']
      if (others.has(baseName(text)) && !text.endsWith('.json')) return ['unchecked file']
      return [text.replace(/^node:/, '').replaceAll('/', '.')]
    },
    globalsOf: (path) => [path.replace(/^(?:globalThis|global|window|self)\./, '')],
  })
}

const { rule, imports, functions, attributes } = rulesOf('javascript')

const NETWORK = 'reaches for the network, which a job has only by its profile'
const CODE = 'runs text as code, which no check can read beforehand'
const REFLECTION = 'reaches names that no check can see'

const WRITERS = [
  ...['appendFile', 'writeFile', 'copyFile', 'cp', 'rename', 'truncate', 'symlink', 'link', 'chmod'].flatMap(
    (name) => [`fs.${name}`, `fs.${name}Sync`, `fs.promises.${name}`],
  ),
  'fs.createWriteStream',
]

/** The rules for JavaScript and TypeScript: the documents' rules for Python, translated to Node. */
export const JAVASCRIPT_RULES: readonly Rule[] = [
  ...imports({ standard: 'block', reason: 'starts other programs' }, 'child_process', 'cluster'),
  ...functions({ standard: 'block', reason: CODE }, 'eval'),
  // `x instanceof Function` and `Function.prototype` create no code.
  rule('function-Function', 'function: Function', { standard: 'block', reason: CODE }, [
    ...facts('shape', 'call Function'),
  ]),
  ...imports({ standard: 'block', reason: CODE }, 'vm'),
  rule(
    'process-binding',
    'function: process.binding',
    { standard: 'block', reason: 'reaches the insides of Node' },
    [...facts('use', 'process.binding', 'process._linkedBinding', 'process.dlopen')],
  ),
  rule('write-file', 'function: fs write', { standard: 'block', reason: 'changes files' }, [
    ...facts('use', ...WRITERS),
    ...facts('shape', 'write-mode fs.open', 'write-mode fs.openSync', 'write-mode fs.promises.open'),
  ]),
  rule('remove-folder', 'function: fs.rm', { standard: 'block', reason: 'removes whole folders' }, [
    ...facts(
      'use',
      ...['rm', 'rmdir'].flatMap((name) => [`fs.${name}`, `fs.${name}Sync`, `fs.promises.${name}`]),
    ),
  ]),
  rule('data-import', 'import: data URL', { standard: 'block', reason: CODE }, [...facts('import', 'data:')]),
  rule('unchecked-file', 'import: file that is not source by its name', { standard: 'block', reason: CODE }, [
    ...facts('import', 'unchecked file'),
    // How `require` loads a file by its extension.
    ...facts('use', 'require.extensions', 'module._extensions'),
  ]),
  rule('computed-attribute', 'attribute: computed name', { standard: 'warn', reason: REFLECTION }, [
    ...facts('shape', 'computed-member globalThis', 'computed-member global', 'computed-member process'),
  ]),
  rule('computed-import', 'import: computed name', { standard: 'warn', reason: REFLECTION }, [
    ...facts('shape', 'computed-import'),
  ]),
  rule('with-statement', 'statement: with', { standard: 'warn', reason: REFLECTION }, [
    ...facts('shape', 'with-statement'),
  ]),
  rule('builtin-module', 'function: process.getBuiltinModule', { standard: 'warn', reason: REFLECTION }, [
    ...facts(
      'use',
      'process.getBuiltinModule',
      'process.mainModule',
      'module.createRequire',
      'module.constructor',
    ),
  ]),

  ...imports({ reason: 'reaches files' }, 'fs'),
  ...imports({ reason: 'reaches the process and its surroundings' }, 'os'),
  ...imports({ standard: 'warn', reason: NETWORK }, 'net', 'http', 'https', 'http2', 'tls', 'dgram', 'dns'),
  rule('network-library', 'import: network library', { standard: 'warn', reason: NETWORK }, [
    ...facts('import', 'axios', 'got', 'needle', 'node-fetch', 'request', 'superagent', 'undici', 'ws'),
  ]),
  rule('network-global', 'function: fetch', { standard: 'warn', reason: NETWORK }, [
    ...facts('use', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'),
  ]),
  ...imports({ reason: 'starts threads' }, 'worker_threads'),
  ...imports(
    { standard: 'warn', reason: 'reaches the insides of Node' },
    'v8',
    'inspector',
    'module',
    'repl',
  ),
  ...imports({ standard: 'warn', reason: 'calls machine code' }, 'wasi', 'ffi-napi'),
  rule(
    'process-control',
    'function: process control',
    { reason: 'reaches the process and its surroundings' },
    [
      ...facts('use', 'process.kill', 'process.abort', 'process.env', 'process.chdir', 'process.execve'),
      ...facts('use', 'process.setuid', 'process.setgid', 'process.report'),
    ],
  ),
  rule('reflect', 'function: Reflect', { reason: REFLECTION }, [
    ...['get', 'set', 'deleteProperty', 'getPrototypeOf', 'setPrototypeOf', 'apply', 'construct'].flatMap(
      (name) => facts('use', `Reflect.${name}`),
    ),
  ]),
  rule('prototype-of', 'function: Object.getPrototypeOf', { reason: REFLECTION }, [
    ...facts('use', 'Object.getPrototypeOf', 'Object.setPrototypeOf'),
  ]),
  ...attributes({ standard: 'warn', reason: REFLECTION }, '__proto__'),
  ...attributes(
    { reason: REFLECTION },
    'constructor',
    '__defineGetter__',
    '__lookupGetter__',
    'caller',
    'callee',
  ),
]
