import type { MatchedSource } from '../match.ts'
import { nameFacts } from '../name-facts.ts'
import { type FactAt, facts, type Rule, rulesOf } from '../rule.ts'

/** A called function, under any of its names. */
const CALLEE = '[(identifier) @root (attribute object: (identifier) @root attribute: (identifier) @member)]'
/** An expression whose value only the program's run determines. */
const COMPUTED = '[(identifier) (attribute) (subscript) (call) (binary_operator) (conditional_expression)]'

/** The query for Python; see `nameFacts` for the captures. */
export const PYTHON_QUERY = `
[(function_definition) (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension)
 (generator_expression)] @scope
(class_definition) @scope.class

(function_definition name: (identifier) @own.outside)
(class_definition name: (identifier) @own.outside)
(parameters (identifier) @own)
(lambda_parameters (identifier) @own)
(default_parameter name: (identifier) @own)
(typed_parameter (identifier) @own)
(typed_default_parameter name: (identifier) @own)
(list_splat_pattern (identifier) @own)
(dictionary_splat_pattern (identifier) @own)
(assignment left: (identifier) @own)
(named_expression name: (identifier) @own)
(for_statement left: (identifier) @own)
(for_in_clause left: (identifier) @own)
(pattern_list (identifier) @own)
(tuple_pattern (identifier) @own)
(list_pattern (identifier) @own)
(as_pattern_target (identifier) @own)
(case_pattern (dotted_name . (identifier) @own .))
(import_from_statement module_name: (relative_import) name: (dotted_name (identifier) @own))
(import_from_statement module_name: (relative_import) name: (aliased_import alias: (identifier) @own))

(dotted_name (identifier) @ignored)
(keyword_argument name: (identifier) @ignored)
(global_statement (identifier) @ignored)
(nonlocal_statement (identifier) @ignored)

(import_statement name: (dotted_name) @module)
(import_statement name: (dotted_name . (identifier) @bound .) @module)
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @bound))
(import_from_statement module_name: (dotted_name) @module name: (dotted_name) @member @attribute @bound)
(import_from_statement module_name: (dotted_name) @module
  name: (aliased_import name: (dotted_name) @member @attribute alias: (identifier) @bound))
(import_from_statement module_name: (dotted_name) @module (wildcard_import) @star)
((call function: [(identifier) @_importer (attribute attribute: (identifier) @_importer)]
   arguments: (argument_list . (string (string_content) @module)))
 (#any-of? @_importer "__import__" "import_module"))

(identifier) @root
(attribute object: (identifier) @root attribute: (identifier) @member)
(attribute object: (attribute object: (identifier) @root attribute: (identifier) @member)
  attribute: (identifier) @member)
(attribute) @attribute

((call function: ${CALLEE} arguments: (argument_list . (_) . (string (string_content) @_mode))) @shape.write-mode
 (#match? @_mode "^[rbtU]*[wax+]"))
((call function: ${CALLEE}
   arguments: (argument_list (keyword_argument name: (identifier) @_key value: (string (string_content) @_mode))))
  @shape.write-mode
 (#eq? @_key "mode") (#match? @_mode "^[rbtU]*[wax+]"))
(call function: ${CALLEE} arguments: (argument_list . (_) . ${COMPUTED})) @shape.computed-mode
(call function: ${CALLEE} arguments: (argument_list . ${COMPUTED})) @shape.computed-name
((call function: (identifier) @_getattr arguments: (argument_list . (identifier) @root . ${COMPUTED}))
  @shape.computed-member
 (#eq? @_getattr "getattr"))
`

const GLOBALS = /^(?:__builtins__\.)?/

/** Collects the facts of a Python source. */
export function pythonFacts({ matches, source }: MatchedSource): readonly FactAt[] {
  const found = nameFacts(matches, {
    modulesOf: (text) => [text.replaceAll(/\s/g, '')],
    // A module that is used without an import may come from a star import.
    globalsOf: (path) => [`builtins.${path.replace(GLOBALS, '')}`, path],
  })
  if (!hasStrangeEncoding(source)) return found
  return [...found, { kind: 'shape', name: 'source-encoding', offset: 0 }]
}

/** Encodings that leave ASCII characters unchanged. */
const PLAIN = /^(utf-?8(-sig)?|(us-)?ascii|latin-?1|iso-?8859-1(5)?|cp1252)$/

/** Whether a source declares an encoding that can decode to other text (`utf-7`, `unicode_escape`). */
function hasStrangeEncoding(source: string): boolean {
  const [, name] =
    /^(?:[ \t\f\uFEFF]*(?:#.*)?\n)?[ \t\f\uFEFF]*#.*?coding[:=][ \t]*([-\w.]+)/.exec(source) ?? []
  return name !== undefined && !PLAIN.test(name.toLowerCase().replaceAll('_', '-'))
}

const { rule, imports, functions, attributes } = rulesOf('python')

const PROCESS = 'starts other programs'
const NETWORK = 'reaches for the network, which a job has only by its profile'
const CODE = 'runs text as code, which no check can read beforehand'
const REFLECTION = 'reaches names that no check can see'
const HOST = 'reaches the process and its surroundings'

/** Functions of `os` that start processes, besides `os.system`, which has a rule of its own. */
const OS_STARTERS = [
  ...['popen', 'fork', 'forkpty', 'posix_spawn', 'posix_spawnp'],
  ...['execl', 'execle', 'execlp', 'execlpe', 'execv', 'execve', 'execvp', 'execvpe'],
  ...['spawnl', 'spawnle', 'spawnlp', 'spawnlpe', 'spawnv', 'spawnve', 'spawnvp', 'spawnvpe'],
]

const OPENERS = ['builtins.open', 'io.open', 'codecs.open', 'os.fdopen']
const IMPORTERS = ['builtins.__import__', 'importlib.__import__', 'importlib.import_module']

/** Facts for a construct applied to one of these names. */
function on(shape: string, names: readonly string[]) {
  return facts('shape', ...names.map((name) => `${shape} ${name}`))
}

/** The rules for Python. The first seven are the patterns of the SOP, one of the project's specifications. */
export const PYTHON_RULES: readonly Rule[] = [
  rule('os-system', 'function: os.system', { standard: 'block', reason: PROCESS }, [
    ...facts('use', 'os.system', 'posix.system'),
  ]),
  rule('subprocess-call', 'function: subprocess', { standard: 'block', reason: PROCESS }, [
    ...facts(
      'use',
      ...['run', 'call', 'Popen', 'check_call', 'check_output', 'getoutput', 'getstatusoutput'].map(
        (name) => `subprocess.${name}`,
      ),
    ),
  ]),
  ...functions({ standard: 'block', reason: CODE }, 'eval', 'exec'),
  rule('function-import', 'function: __import__', { standard: 'block', reason: REFLECTION }, [
    ...facts('use', 'builtins.__import__', 'importlib.__import__'),
  ]),
  rule('open-for-writing', 'function: open for writing', { standard: 'block', reason: 'changes files' }, [
    ...on('write-mode', OPENERS),
  ]),
  rule('rmtree', 'function: shutil.rmtree', { standard: 'block', reason: 'removes whole folders' }, [
    ...facts('use', 'shutil.rmtree'),
  ]),
  rule('os-process', 'function: os process start', { standard: 'block', reason: PROCESS }, [
    ...facts('use', ...OS_STARTERS.flatMap((name) => [`os.${name}`, `posix.${name}`])),
    ...facts('use', 'pty.spawn', 'pty.fork', 'asyncio.create_subprocess_exec'),
    ...facts('use', 'asyncio.create_subprocess_shell'),
  ]),
  rule('import-module', 'function: importlib.import_module', { standard: 'block', reason: REFLECTION }, [
    ...facts('use', 'importlib.import_module', 'runpy.run_path', 'runpy.run_module', 'pkgutil.resolve_name'),
    ...facts('use', 'importlib.util.spec_from_file_location', 'importlib.machinery.SourceFileLoader'),
    ...facts('use', 'importlib.machinery.SourcelessFileLoader', 'importlib.machinery.ExtensionFileLoader'),
    // They load archives of any name, and run lines of `.pth` files.
    ...facts('use', 'zipimport.zipimporter', 'pydoc.importfile', 'pydoc.locate', 'site.addsitedir'),
  ]),
  rule('source-encoding', 'source encoding', { standard: 'block', reason: 'hides what the source says' }, [
    ...facts('shape', 'source-encoding'),
  ]),
  rule('computed-attribute', 'attribute: computed name', { standard: 'warn', reason: REFLECTION }, [
    ...on('computed-member', ['builtins.__builtins__', 'builtins', 'os', 'posix', 'subprocess', 'sys']),
  ]),
  rule('computed-import', 'import: computed name', { standard: 'warn', reason: REFLECTION }, [
    ...on('computed-name', IMPORTERS),
  ]),

  ...imports({ reason: HOST }, 'os', 'sys'),
  ...imports({ standard: 'warn', reason: PROCESS }, 'subprocess', 'multiprocessing', 'pty'),
  ...imports({ standard: 'warn', reason: NETWORK }, 'socket', 'requests', 'http'),
  // `urllib.parse` only parses text. The SOP does not warn about it, but the service plan blocks it.
  ...imports({ reason: NETWORK }, 'urllib'),
  rule('urllib-request', 'import: urllib.request', { standard: 'warn', reason: NETWORK }, [
    ...facts('import', 'urllib.request'),
  ]),
  rule('network-library', 'import: network library', { standard: 'warn', reason: NETWORK }, [
    ...facts('import', '_socket', 'aiohttp', 'ftplib', 'httpx', 'imaplib', 'paramiko', 'poplib'),
    ...facts('import', 'smtplib', 'socketserver', 'telnetlib', 'urllib3', 'websockets', 'xmlrpc'),
  ]),
  rule('import-ctypes', 'import: ctypes', { standard: 'warn', reason: 'calls machine code' }, [
    ...facts('import', 'ctypes', '_ctypes', 'cffi'),
  ]),
  ...imports({ reason: 'starts threads' }, 'threading', '_thread'),
  ...imports({ standard: 'warn', reason: 'changes what ends the program' }, 'signal'),
  rule('import-posix', 'import: posix', { standard: 'warn', reason: 'is os by another name' }, [
    ...facts('import', 'posix', 'nt', '_posixsubprocess', '_posixshmem'),
  ]),
  ...imports({ reason: REFLECTION }, 'importlib', 'builtins', 'gc', 'inspect', 'runpy', 'pkgutil'),
  ...imports({ standard: 'warn', reason: 'loads objects that run code' }, 'pickle', 'marshal', 'shelve'),
  ...imports({ reason: 'changes files' }, 'shutil', 'tempfile', 'pathlib'),

  rule('function-compile', 'function: compile', { standard: 'warn', reason: CODE }, [
    ...facts('use', 'builtins.compile'),
  ]),
  rule('function-open', 'function: open', { reason: 'reaches files' }, [
    ...facts('use', 'builtins.open', 'io.open', 'codecs.open', 'io.FileIO', 'os.open', 'os.fdopen'),
  ]),
  rule(
    'open-computed',
    'function: open with a computed mode',
    { standard: 'warn', reason: 'changes files' },
    [...on('computed-mode', OPENERS)],
  ),
  rule('path-write', 'attribute: write_text', { standard: 'warn', reason: 'changes files' }, [
    ...facts('attribute', 'write_text', 'write_bytes'),
  ]),
  rule('run-text', 'function: runs text as code', { reason: CODE }, [
    ...facts('use', 'builtins.breakpoint', 'code.interact', 'code.InteractiveInterpreter', 'pdb.run'),
    ...facts('use', 'code.InteractiveConsole', 'codeop.compile_command', 'pdb.runeval', 'pdb.runctx'),
    ...facts('use', 'cProfile.run', 'cProfile.runctx', 'profile.run', 'profile.runctx'),
    ...facts('use', 'timeit.timeit', 'timeit.repeat', 'timeit.Timer', 'timeit.main', 'doctest.testmod'),
    ...facts('use', 'doctest.testfile', 'doctest.run_docstring_examples', 'typing.get_type_hints'),
    ...facts('use', 'logging.config.dictConfig', 'logging.config.fileConfig', 'trace.Trace'),
  ]),
  ...functions({ reason: REFLECTION }, 'getattr', 'setattr', 'delattr', 'locals', 'vars'),
  ...functions({ standard: 'warn', reason: REFLECTION }, 'globals'),
  rule('attrgetter', 'function: operator.attrgetter', { reason: 'is getattr by another name' }, [
    ...facts('use', 'operator.attrgetter', 'operator.methodcaller'),
  ]),

  ...attributes({ reason: REFLECTION }, '__class__', '__dict__', '__base__', '__bases__', '__getattribute__'),
  ...attributes({ standard: 'warn', reason: REFLECTION }, '__globals__', '__subclasses__', '__mro__'),
  ...attributes({ standard: 'warn', reason: REFLECTION }, '__code__', '__builtins__', '__closure__'),
  ...attributes({ reason: REFLECTION }, '__loader__', '__spec__', '__reduce__', '__reduce_ex__', '__self__'),
  rule('frame', 'attribute: frame', { standard: 'warn', reason: 'reaches the names of a caller' }, [
    ...facts('attribute', 'tb_frame', 'f_back', 'f_globals', 'f_locals', 'f_builtins', 'gi_frame'),
    ...facts('attribute', 'cr_frame', 'ag_frame', '_getframe'),
  ]),
]
