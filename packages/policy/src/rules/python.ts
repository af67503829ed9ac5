import type { Rule } from '../rule.ts'
import { facts, rulesOf } from './define.ts'

const { rule, imports, functions, attributes } = rulesOf('python')

const PROCESS = 'starts other programs'
const NETWORK = 'reaches for the network, which a job has only by its profile'
const CODE = 'runs text as code, which no check can read beforehand'
const REFLECTION = 'reaches names that no check can see'
const HOST = 'reaches the process and its surroundings'

/** Starters of processes in `os`; the document names `os.system` for all of them. */
const OS_STARTERS = [
  ...['popen', 'fork', 'forkpty', 'posix_spawn', 'posix_spawnp'],
  ...['execl', 'execle', 'execlp', 'execlpe', 'execv', 'execve', 'execvp', 'execvpe'],
  ...['spawnl', 'spawnle', 'spawnlp', 'spawnlpe', 'spawnv', 'spawnve', 'spawnvp', 'spawnvpe'],
]

/** What Python programs should not do. The first seven are the procedure's own patterns. */
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
  ...functions({ standard: 'block', reason: CODE }, 'builtins.', 'eval', 'exec'),
  rule('function-import', 'function: __import__', { standard: 'block', reason: REFLECTION }, [
    ...facts('use', 'builtins.__import__', 'importlib.__import__'),
  ]),
  rule('open-for-writing', 'function: open for writing', { standard: 'block', reason: 'changes files' }, [
    ...facts('shape', 'open-for-writing'),
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
    // An archive of any name, and lines of `.pth` files.
    ...facts('use', 'zipimport.zipimporter', 'pydoc.importfile', 'pydoc.locate', 'site.addsitedir'),
  ]),
  rule('source-encoding', 'source encoding', { standard: 'block', reason: 'hides what the source says' }, [
    ...facts('shape', 'source-encoding'),
  ]),
  rule('computed-attribute', 'attribute: computed name', { standard: 'warn', reason: REFLECTION }, [
    ...facts('shape', 'computed-attribute'),
  ]),
  rule('computed-import', 'import: computed name', { standard: 'warn', reason: REFLECTION }, [
    ...facts('shape', 'computed-import'),
  ]),

  ...imports({ reason: HOST }, 'os', 'sys'),
  ...imports({ standard: 'warn', reason: PROCESS }, 'subprocess', 'multiprocessing', 'pty'),
  ...imports({ standard: 'warn', reason: NETWORK }, 'socket', 'requests', 'http'),
  // `urllib.parse` only takes texts apart: the procedure's warnings leave it alone, the plan's list does not.
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
    [...facts('shape', 'open-with-computed-mode')],
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
  ...functions({ reason: REFLECTION }, 'builtins.', 'getattr', 'setattr', 'delattr', 'locals', 'vars'),
  ...functions({ standard: 'warn', reason: REFLECTION }, 'builtins.', 'globals'),
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
