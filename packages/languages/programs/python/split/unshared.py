"""What a script changes in its own process, or sees there, while the code is in another one."""

# Several coroutines at once; and what ends or limits one.
CONCURRENT = set('gather create_task ensure_future as_completed TaskGroup'.split())
LIMITED = set('wait_for timeout cancel'.split())
# Built-in functions that run text or compile it; modules of Python that run text which they get; libraries that may run text of their own.
EXECUTING = 'eval', 'exec', 'compile'
# Those that evaluate annotations, and what these may be: types in brackets, without calls, loops and hidden attributes.
EVALUATORS = {'typing', 'inspect', 'annotationlib'}
TYPE_TEXT = re.compile(r'(?:[A-Za-z]\w*|\d+|[.\[\]]|, | \| )*')
RUNNERS = set('doctest timeit code codeop runpy bdb pdb trace profile cProfile'.split())
# Methods of texts that format, what does so without them, and fields of such texts that no test has use for.
FORMATS, FORMATTERS = {'format', 'format_map'}, {'Formatter', 'vformat'}
LOOKS_INSIDE = re.compile(r'__|[.\[]\s*(?:_|(?:gi|cr|ag|tb|co|f|func)_)')
# Methods of pandas that compute what a text says; what reads and writes pickles.
PANDAS_TEXTS = {'query', 'eval'}
PICKLING = 'load', 'loads', 'dump', 'dumps', 'Pickler', 'Unpickler'
# The modules that import others, and those that read files of their own: the text of lines that traces show, and time zones.
IMPORTING = {'importlib', '_frozen_importlib', '_frozen_importlib_external'}
READING = IMPORTING | {'linecache', 'zoneinfo', 'hypothesis', 'pytz', 'dateutil'}
# Where time zones are, which a part of the interpreter reads.
ZONES = re.compile(r'/usr/share/zoneinfo/|.*/tzdata/zoneinfo/')
TEXT_LIBRARIES = {'isopod library', 'numpy', 'pandas'}


def look_for_unshared(judge, script, tree, given):
    """Notices by its text that a script uses what the processes do not share."""
    words = set(WORDS.findall(script))
    # Most scripts use nothing of a process, and the tree need not be read for that.
    if not words.isdisjoint(TELLING):
        uses = Uses(tree)
        note_use(judge, uses.missed, is_observed=False)
        note_use(judge, uses.observed, is_observed=True)
    if given.get('random') is True and 'seed' in words:
        judge.excuse = judge.excuse or 'the code does not share the state of random with the script'
    if words & {'pandas', 'pd'} and words & PANDAS_TEXTS:
        refuse_pandas_texts(judge, tree)
    if 'raise' in words:
        blocks = [node.body for node in ast.walk(tree) if isinstance(node, (ast.With, ast.AsyncWith))]
        judge.unconditional = {line for body in blocks for line in lines_that_raise(body)}
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] if 'class' in words else []
    spaces = [each.func.id for node in classes for part in node.body if isinstance(part, ast.Expr) for each in ast.walk(part)
              if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in ('vars', 'locals')]
    if spaces:
        judge.doubt = judge.doubt or f'the script fills a class by {spaces[0]}()'
    judge.fills_classes = any(
        isinstance(getattr(each, 'value', None), ast.Call) or getattr(each, 'decorator_list', None) for node in classes for each in node.body)
    judge.is_concurrent = not words.isdisjoint(CONCURRENT)
    judge.is_limited = not words.isdisjoint(LIMITED)


def note_use(judge, uses, is_observed):
    """Takes note of the first of some uses of what the code does not share with the script."""
    for name, node in sorted(uses, key=lambda use: use[1].lineno)[:1]:
        judge.excuse = f'line {node.lineno}: the code does not share {name} with the script'
        if is_observed:
            judge.doubt = judge.excuse


def lines_that_raise(body):
    """The lines of a block that raise an error in any case: those that only statements precede which cannot judge."""
    for node in body:
        if isinstance(node, ast.Raise):
            yield node.lineno
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Pass)):
            return


def refuse_pandas_texts(judge, tree):
    """A text in which pandas computes can call any function."""
    texts = {id(node.func): [*node.args[:1], *(each.value for each in node.keywords)] for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        given = texts.get(id(node), ()) if isinstance(node, ast.Attribute) and node.attr in PANDAS_TEXTS else None
        if given is not None and not (given and all(isinstance(each, ast.Constant) for each in given)):
            unverified(judge, f'line {node.lineno}: pandas would run a text of the code')


def run_only_own_text(judge, tree):
    """
    Lets eval, exec and compile run no text but that of the script: what the code makes would run in the judge's process.
    Returns those for the script. The library has others, so that it runs its own texts, and none with functions of the script.
    """
    own = {node.value for node in ast.walk(tree) if type(node) is ast.Constant and type(node.value) is str}
    programs = []

    def is_own(source):
        return source in own if type(source) is str else any(source is each for each in programs)

    def guarded(name, run, is_allowed):
        def call(source, *args, **kwargs):
            caller = sys._getframe(1)
            if not is_own(source) and not is_allowed(name, source, caller):
                unverified(judge, f'{name} would run what the code made')
            if name != 'compile':
                return run(source, *args, **kwargs) if args or kwargs else run(source, caller.f_globals, caller.f_locals)
            made = run(source, *args, **kwargs)
            if is_own(source):
                programs.append(made)
            return made
        return call
    originals = {name: getattr(builtins, name) for name in EXECUTING}
    for name, run in originals.items():
        setattr(builtins, name, guarded(name, run, is_of_library))
    judge.executing = {name: guarded(name, run, lambda *_: False) for name, run in originals.items()}
    return judge.executing


def is_of_library(name, source, caller):
    """Whether a function of the library runs a text or what it has compiled, and itself names what runs it."""
    module = str(caller.f_globals.get('__name__')).partition('.')[0]
    if module in IMPORTING:
        return True
    if name not in caller.f_code.co_names:
        return False
    if module in EVALUATORS and type(source) is str:
        return TYPE_TEXT.fullmatch(source) is not None
    return isinstance(source, types.CodeType) or module in TEXT_LIBRARIES or module in sys.stdlib_module_names - RUNNERS - EVALUATORS


def read_only_named_files(judge, tree):
    """Lets the script read no file but those that it names itself: the code could name one that says what the script expects."""
    literals = {node.value for node in ast.walk(tree) if type(node) is ast.Constant and type(node.value) in (str, int, bytes)}
    names = {part for each in literals if type(each) is str for part in each.split('/')}

    def is_named(path):
        if path in literals:
            return True
        if 'zoneinfo' in sys.modules and ZONES.match(os.path.realpath(path)):
            return True
        return type(path) is str and names.issuperset(path.removeprefix('/workspace/').split('/'))

    def check(event, values):
        if event != 'open' or not judge.is_running or is_read_by_library(sys._getframe(1)):
            return
        path, _, flags = values
        # The interpreter looks for the line of a syntax error, without the flags that every other file has.
        if flags == 0:
            return
        if not is_named(path if type(path) in (str, int, bytes) else os.fspath(path)):
            unverified(judge, 'the script opens a file that it does not name')
    judge.is_running = True
    sys.addaudithook(check)


def is_read_by_library(frame):
    """Whether a module of the library, and not the script, opens a file."""
    while frame is not None and frame.f_code.co_filename != SCRIPT:
        if str(frame.f_globals.get('__name__')).partition('.')[0] in READING:
            return True
        frame = frame.f_back
    return False


def give_main(names, given):
    """Makes the module that a script imports by the name of the code's."""
    main = sys.modules['main'] = types.ModuleType('main')

    def attribute(name):
        if name not in given:
            raise AttributeError(f"module 'main' has no attribute {name!r}")
        if not hasattr(builtins, name):
            return names[name]
        value = names.judge.ask('name', name)
        names.judge.check_name(name, value)
        return value
    vars(main).update(__getattr__=attribute, __all__=[each for each in given if each[:1] != '_'])


# A text that is a special name.
HIDDEN_NAME = re.compile(r'[\'"]__\w+__[\'"]')


class OwnClasses(ast.NodeTransformer):
    """Makes classes with `type` by a function."""

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == 'type' and len(node.args) == 3:
            node.func = ast.copy_location(ast.Name(MAKE_TYPE, ast.Load()), node.func)
        return self.generic_visit(node)


def make_only_own_classes(judge, names, script):
    """Has the script make no class of what the code gives: by a method of its own, the code would decide what the objects are equal to."""
    def guarded(make, count):
        def made(*args, **kwargs):
            writer = Shower(judge)
            text = repr(writer.write([*args[count:], *kwargs.values()]))
            if writer.things or HIDDEN_NAME.search(text) and not names_hidden:
                unverified(judge, 'the script makes a class of what the code gives')
            return make(*args, **kwargs)
        return made
    import dataclasses
    import enum
    names_hidden = HIDDEN_NAME.search(script)
    names[MAKE_TYPE] = guarded(type, 1)
    dataclasses.make_dataclass = guarded(dataclasses.make_dataclass, 1)
    # After the class of enumerations and the name.
    enum.EnumType._create_ = guarded(enum.EnumType._create_, 2)


def refuse_pickles(judge):
    """Reading a pickle runs what it names, and objects of the code cannot be written."""
    import pickle

    def refused(*_, **__):
        unverified(judge, 'a pickle could run code in the process of the judge')
    kind = type('Pickler', (), {'__init__': refused, '__init_subclass__': refused})
    for name in vars(pickle).keys() & {f'{mark}{name}' for mark in ('', '_') for name in PICKLING}:
        setattr(pickle, name, kind if name.endswith('ickler') else refused)


class Formats(ast.NodeTransformer):
    """Formats with texts that are not the script's by a function. `uses` are the lines of all other uses of formats."""

    def __init__(self):
        self.uses = []

    def visit_Call(self, node):
        is_format = isinstance(node.func, ast.Attribute) and node.func.attr in FORMATS
        if not is_format or isinstance(node.func.value, ast.Constant):
            return self.generic_visit(node)
        text = node.func.value
        if getattr(text, 'id', None) == 'str':
            self.uses.append(node.lineno)
        made = ast.Call(ast.Name(FORMAT, ast.Load()), [text, ast.Constant(node.func.attr), *node.args], node.keywords)
        return self.generic_visit(ast.fix_missing_locations(ast.copy_location(made, node)))

    def visit_Attribute(self, node):
        if node.attr in FORMATTERS or node.attr in FORMATS and not isinstance(node.value, ast.Constant):
            self.uses.append(node.lineno)
        return self.generic_visit(node)

    def visit_ImportFrom(self, node):
        if any(each.name in FORMATTERS for each in node.names):
            self.uses.append(node.lineno)
        return node


def formatting(judge, uses):
    """A method of texts that format values. A text of the code could read what the script expects from them."""
    for line in uses[:1]:
        unverified(judge, f'line {line}: a text of the code would look into what the script formats with it')

    def formatted(text, name, /, *args, **kwargs):
        if isinstance(text, str) and LOOKS_INSIDE.search(text):
            unverified(judge, 'a text of the code would look into what the script formats with it')
        return getattr(text, name)(*args, **kwargs)
    return formatted


class Identities(ast.NodeTransformer):
    """Compares objects of the code by what they are there."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        values = [node.left, *node.comparators]
        parts = [self.compared(one, op, other) for one, op, other in zip(values, node.ops, node.comparators)]
        if parts == [None] * len(parts):
            return node
        if len(parts) > 1:
            # A chain would evaluate its middle values twice.
            made = ast.Call(ast.Name(SAME, ast.Load()), [], [])
        else:
            made = parts[0]
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def compared(self, one, op, other):
        if not isinstance(op, (ast.Is, ast.IsNot)) or isinstance(one, ast.Constant) or isinstance(other, ast.Constant):
            return None
        asked = ast.Call(ast.Name(SAME, ast.Load()), [one, other], [])
        return asked if isinstance(op, ast.Is) else ast.UnaryOp(ast.Not(), asked)


def number_in_code(thing):
    """The number of an object of the code; None for the script's own and for plain values."""
    known = about(thing)
    if known is None and (isinstance(thing, (tuple, BaseException)) or type(thing) is RemoteIterator):
        known = getattr(thing, '__dict__', {}).get('_remote')
    return None if known is None else known._isopod_number


def identities(judge):
    """Functions that compare two values by whether they are one object, in the judge's process or in the code's; and `id`."""
    def same(*values):
        if not values:
            unverified(judge, 'only the code could tell which objects of a chain are the same')
        one, other = values
        first, last = about(one), about(other)
        if 'member' in (getattr(first, '_isopod_rule', None), getattr(last, '_isopod_rule', None)):
            return one is other
        numbers = number_in_code(one), number_in_code(other)
        if None not in numbers:
            return one is other or numbers[0] == numbers[1] and type(one) is type(other)
        # A built-in function that the code gives, and one that the script never passed to it.
        are_functions = {type(one).__name__, type(other).__name__} == {types.BuiltinFunctionType.__name__}
        if are_functions and type(one) is not type(other):
            unverified(judge, 'only the code could tell which function of Python that is')
        # The judge has copies of what cannot change, and of what is too large to be shared.
        are_copies = all(type(each) in CONTAINERS and len(each) > SHARED_ITEMS // 2 for each in values)
        are_fixed = type(one) is type(other) and type(one) in (tuple, frozenset) and one == other
        if (are_copies or are_fixed) and one is not other:
            unverified(judge, 'only the code could tell whether two tuples or large containers are the same')
        return one is other

    def identity(thing):
        number = number_in_code(thing)
        return id(thing) if number is None else -1 - number
    return same, identity


def ask_for_identities(names, judge, script):
    """Makes the script compare objects of the code by what they are there, where it does so by functions, too."""
    same, identity = identities(judge)
    names[SAME] = same
    if 'id' not in names.given:
        names['id'] = identity
    if 'operator' in script:
        import operator
        operator.is_, operator.is_not = same, lambda one, other: not same(one, other)
    if 'unittest' in script:
        from unittest import TestCase
        own_is, own_is_not = TestCase.assertIs, TestCase.assertIsNot

        def assert_is(test, one, other, message=None):
            own_is(test, *((one, one) if same(one, other) else (one, other)), message)

        def assert_is_not(test, one, other, message=None):
            own_is_not(test, *((one, one) if same(one, other) else (one, other)), message)
        TestCase.assertIs, TestCase.assertIsNot = assert_is, assert_is_not


def share_depth(judge):
    """The limit of recursion that a script sets is the code's, too."""
    def set_both(limit):
        set_depth(limit)
        judge.ask('depth', limit)
    sys.setrecursionlimit = set_both


def compare_counters_there():
    """A counter of the code is compared as its other objects are, and not by the items that it says it has."""
    own = collections.Counter.__eq__
    collections.Counter.__eq__ = lambda one, other: own(one, other) if about(other) is None else NotImplemented
