"""What a script uses of Python's library that depends on a process: the script's is another one than the code's."""
import ast
import re

# Modules that depend on nothing but what they are given.
SHARED = set('''
    __future__ abc argparse array ast base64 binascii bisect bz2 cmath collections colorsys concurrent copy dataclasses difflib enum
    errno fractions functools graphlib gzip hashlib heapq hmac html ipaddress itertools json keyword math numbers operator pprint
    queue re reprlib secrets statistics string struct textwrap tokenize token traceback types unicodedata urllib uuid xml zlib zoneinfo
    dateutil hypothesis more_itertools networkx numpy pandas parameterized pytest pytz scipy sklearn sortedcontainers sympy
    typing_extensions main
'''.split())
# More of them, without some of their names.
WITHOUT = {name: set(names.split()) for name, names in {
    'asyncio': 'all_tasks current_task',
    'calendar': 'setfirstweekday firstweekday',
    'codecs': 'open register',
    'contextlib': 'redirect_stderr chdir',
    'csv': 'field_size_limit register_dialect unregister_dialect list_dialects',
    'datetime': '',
    'decimal': 'getcontext localcontext setcontext Context DefaultContext BasicContext ExtendedContext',
    'io': 'open open_code FileIO',
    'numpy': 'seterr geterr errstate set_printoptions get_printoptions printoptions save load savetxt loadtxt',
    'numpy.random': 'get_state set_state',
    'pathlib': '',
    'pickle': '',
    'random': 'getstate setstate',
    'signal': 'getsignal getitimer',
    'threading': 'active_count enumerate current_thread main_thread get_ident get_native_id',
    'time': 'process_time process_time_ns thread_time thread_time_ns tzset tzname timezone altzone daylight',
    'typing': '',
    'unittest': '',
    'unittest.mock': '',
    'warnings': 'filters showwarning formatwarning',
}.items()}
# Of these modules, no other names.
ONLY = {name: set(names.split()) for name, names in {
    'inspect': '',
    'logging': 'DEBUG INFO WARNING ERROR CRITICAL NullHandler basicConfig disable',
    'os': 'path sep linesep pathsep extsep altsep curdir pardir name devnull fspath PathLike urandom cpu_count',
    'os.path': 'join basename dirname split splitext normpath normcase isabs commonpath commonprefix sep',
    'sys': '''
        maxsize maxunicode float_info int_info hash_info version version_info byteorder implementation platform exit exc_info
        stdin stdout stderr argv setrecursionlimit intern getdefaultencoding float_repr_style
    ''',
}.items()}
# Names by which a right program can fail, and no wrong one passes: most say how the code is written.
WRITTEN = {
    'typing': 'get_type_hints get_args get_origin'.split(),
    'inspect': '''
        isclass isfunction ismethod isroutine isbuiltin isgenerator isgeneratorfunction iscoroutine iscoroutinefunction isawaitable
        isasyncgen isasyncgenfunction signature getmembers getsource getdoc Parameter Signature
    '''.split(),
    'warnings': ['catch_warnings'],
}
WRITTEN_ATTRIBUTES = set('__mro__ __bases__ __subclasses__ __module__ __code__ __wrapped__ mro'.split())
# Built-in functions, and methods of unittest and of files, that see or change a process. A file that a test case has can be read.
SEEING = set('input breakpoint __import__ assertNoLogs'.split())
SEEING_FILES = set('''
    cwd home exists is_file is_dir stat lstat iterdir glob rglob open write_text write_bytes touch mkdir rmdir
    unlink rename resolve absolute samefile owner
'''.split())
# With these a right program can fail.
FAILING = set('globals locals dir assertLogs assertWarns assertWarnsRegex'.split())
# Names under which the code's own objects show all that they have.
SHOWN_SPECIALS = set('__name__ __qualname__ __doc__ __dict__ __class__ __len__ __iter__ __next__ __call__ __getitem__ __contains__ __slots__'.split())
# The functions by which a script compares objects, and formats with a text. No script can name them.
SAME, FORMAT, MAKE_TYPE = 'the same object', 'a formatted text', 'a new class'
# What a script may replace to ask the code otherwise, or to see what it prints.
INPUT, OUTPUT = {'sys.stdin', 'sys.argv'}, {'sys.stdout'}
PATCHES = {'unittest.mock.patch', 'unittest.mock.patch.dict'}
WORDS = re.compile(r'\w+')
# A script without any of these words uses nothing of a process.
TELLING = SEEING | FAILING | {'open'} | WRITTEN_ATTRIBUTES | {'import', 'hasattr', 'getattr', 'setattr'}


class Uses:
    """
    What a script uses of Python's library, as names with the modules in which they are.

    `observed`: names by which it sees its own process, so that nothing follows if it passes.
    `missed`: names by which a right program may fail.
    """

    def __init__(self, tree):
        self.observed, self.missed = [], []
        # Names of the script → what they stand for.
        self.names = {}
        self.inner = set()
        nodes = [*ast.walk(tree)]
        for node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.read_import(node)
        self.has_files = any(each.partition('.')[0] == 'pathlib' for each in self.names.values())
        for node in nodes:
            self.read(node)

    def read_import(self, node):
        for each in node.names:
            if isinstance(node, ast.Import):
                self.names[each.asname or each.name.partition('.')[0]] = each.name if each.asname else each.name.partition('.')[0]
                self.look_up(each.name, node, is_import=True)
            elif node.level == 0:
                # An import of all names shows none of them.
                name = node.module if each.name == '*' else f'{node.module}.{each.name}'
                self.names[each.asname or each.name] = name
                self.look_up(name, node, is_import=each.name != '*')

    def read(self, node):
        if isinstance(node, ast.Attribute):
            self.read_attribute(node)
        elif isinstance(node, ast.Name):
            if node.id in SEEING:
                self.observed.append((node.id, node))
            elif node.id in FAILING:
                self.missed.append((node.id, node))
            elif node.id in self.names and node not in self.inner and isinstance(node.ctx, ast.Load):
                self.look_up(self.names[node.id], node)
        elif isinstance(node, ast.Call):
            self.read_call(node)

    def read_attribute(self, node):
        self.inner.add(node.value)
        if node.attr in WRITTEN_ATTRIBUTES or node.attr in FAILING:
            self.missed.append((node.attr, node))
        if node.attr == 'assertNoLogs' or self.has_files and node.attr in SEEING_FILES:
            self.observed.append((node.attr, node))
        path = self.path(node)
        if path is None or node in self.inner:
            return
        if isinstance(node.ctx, ast.Load):
            self.look_up(path, node)
        elif path in INPUT:
            self.missed.append((path, node))
        elif path not in OUTPUT:
            self.observed.append((path, node))

    def read_call(self, node):
        path = self.path(node.func)
        first = node.args[0] if node.args else None
        literal = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
        if path in PATCHES and literal not in OUTPUT:
            self.observed.append((f'{path}({literal!r})', node))
        if path == 'unittest.mock.patch.object' and self.path(first) is not None:
            self.observed.append((f'{path}({self.path(first)})', node))
        if path in ('warnings.simplefilter', 'warnings.filterwarnings') and literal == 'error':
            self.observed.append((path, node))
        if path == 'warnings.catch_warnings' and node.keywords:
            self.observed.append((path, node))
        name = getattr(node.func, 'id', None)
        if name == 'open' and not is_reading(node):
            self.observed.append((name, node))
        if name == SAME:
            self.observed += [(path, node) for path in map(self.path, node.args) if path in OUTPUT]
        key = node.args[1] if name in ('hasattr', 'getattr', 'setattr') and len(node.args) > 1 else None
        if isinstance(key, ast.Constant) and is_hidden(str(key.value)):
            self.observed.append((str(key.value), node))
        if key is not None and getattr(first, 'id', None) == 'builtins':
            self.observed.append(('builtins', node))

    def path(self, node):
        """The name of a part of a module, as `os.path.join`; None for other nodes."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        root = self.names.get(node.id) if isinstance(node, ast.Name) else None
        return None if root is None else '.'.join([root, *reversed(parts)])

    def look_up(self, path, node, is_import=False):
        """Takes note of the use of a name if it depends on the process."""
        parts = path.split('.')
        modules = ['.'.join(parts[:count]) for count in range(len(parts), 0, -1)]
        known = next((each for each in modules if each in WITHOUT or each in ONLY), parts[0])
        used = parts[known.count('.') + 1:][:1]
        if used and used[0] in WRITTEN.get(known, ()):
            self.missed.append((path, node))
        elif not used and is_import or is_shared(known, used):
            return
        else:
            self.observed.append((path, node))


def is_shared(module, used):
    """Whether what is used of a module, or all of it, depends on nothing but what it is given."""
    if module in ONLY:
        return bool(used) and used[0] in ONLY[module]
    if module in WITHOUT:
        return not used or used[0] not in WITHOUT[module]
    return module in SHARED


def is_reading(call):
    """Whether a call of `open` opens a file to read it."""
    modes = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == 'mode')]
    return all(isinstance(each, ast.Constant) and set(str(each.value)) <= set('rbt') for each in modes)


def is_hidden(name):
    """Whether the judge does not know if an object of the code has a special attribute."""
    return name[:2] == '__' and name[-2:] == '__' and name not in SHOWN_SPECIALS
