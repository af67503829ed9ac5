import type { Rule } from '../rule.ts'
import { facts, rulesOf } from './define.ts'

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

/** What JavaScript and TypeScript programs should not do: the documents' rules for Python, in Node's terms. */
export const JAVASCRIPT_RULES: readonly Rule[] = [
  ...imports({ standard: 'block', reason: 'starts other programs' }, 'child_process', 'cluster'),
  ...functions({ standard: 'block', reason: CODE }, '', 'eval', 'Function'),
  ...imports({ standard: 'block', reason: CODE }, 'vm'),
  rule(
    'process-binding',
    'function: process.binding',
    { standard: 'block', reason: 'reaches the insides of Node' },
    [...facts('use', 'process.binding', 'process._linkedBinding', 'process.dlopen')],
  ),
  rule('write-file', 'function: fs write', { standard: 'block', reason: 'changes files' }, [
    ...facts('use', ...WRITERS),
    ...facts('shape', 'open-for-writing'),
  ]),
  rule('remove-folder', 'function: fs.rm', { standard: 'block', reason: 'removes whole folders' }, [
    ...facts(
      'use',
      ...['rm', 'rmdir'].flatMap((name) => [`fs.${name}`, `fs.${name}Sync`, `fs.promises.${name}`]),
    ),
  ]),
  rule('data-import', 'import: data URL', { standard: 'block', reason: CODE }, [
    ...facts('shape', 'data-import'),
  ]),
  rule('unchecked-file', 'import: file that is not source by its name', { standard: 'block', reason: CODE }, [
    ...facts('shape', 'unchecked-file'),
    // What `require` makes of a name's ending.
    ...facts('use', 'require.extensions', 'module._extensions'),
  ]),
  rule('computed-attribute', 'attribute: computed name', { standard: 'warn', reason: REFLECTION }, [
    ...facts('shape', 'computed-attribute'),
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
