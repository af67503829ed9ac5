"""What a script changes in its own process, or sees there, while the code is in another one."""
import re

# Changes that the code does not see. A test that fails may fail by them.
REPLACED = re.compile(r'''
    \bsys\.stdin\s*=(?!=) | \bpatch(?:\.dict)?\(\s*[bru]*['"][^'"]* | \bassert(?:Logs|Warns\w*)\( | \bsetattr\(\s*builtins\b |
    \bcatch_warnings\( | \bredirect_stderr\( | \bos\.environ\b | \bgetsizeof\( |
    \b(?:globals|locals)\(\) | (?<![\w.])dir\(\) |
    \btempfile\. | \bos\.(?:path\.(?:exists|is\w+)|listdir)\(
''', re.VERBOSE)
# What is there of each process, and what the code does in its own. A test that passes by them shows nothing.
OBSERVED = re.compile(r"""
    \bpatch(?:\.dict)?\(\s*[bru]*['"][^'"]* | \bassertNoLogs\( | \bgetLogger\( | \bredirect_stderr\( | \bsys\.stderr\s*=(?!=) |
    \bopen\([^()]*,\s*['"][wax] | \bopen\([^()]*,\s*['"]r\+ | \.write_(?:text|bytes)\( | \bPath\.cwd\( | \bsys\.path\b |
    \bsignal\.getsignal\( | \blogging\.root\b | \bexpandvars\( | \bgetpid\( | \bget_ident\( | \bis\s+(?:not\s+)?sys\.std |
    \bcatch_warnings\(\s*record | \bsimplefilter\(\s*['"]error | \bfilterwarnings\(\s*['"]error |
    \bos\.(?:environ|getenv|getcwd|(?:path\.(?:exists|lexists|is\w+|getsize)|listdir|scandir|walk|stat)\() |
    \bPath\([^()]*\)\.(?:exists|is_file|is_dir)\( | \bin\s+(?:globals|locals)\(\) | \bhasattr\(\s*builtins\b |
    \bsys\.(?:modules|setprofile|settrace|getrecursionlimit|getrefcount|stdout\s+is)\b |
    \b(?:tracemalloc|weakref|doctest|timeit)\. | \bgc\.(?:collect|get_\w+)\( | \bgetrusage\( | \b(?:process|thread)_time(?:_ns)?\( |
    \bfrom\s+(?:tracemalloc|weakref|doctest|timeit|gc)\s+import | \b(?:random\.getstate|getcontext|localcontext|active_count|threading\.enumerate)\(
""", re.VERBOSE)
# By these a script looks at what the processes do not share: how the code is written, and where.
INSPECTS = re.compile(
    r'\binspect\.|\bget_(?:type_hints|args|origin)\b|__(?:mro|bases|subclasses|module|code|wrapped)__|\.mro\(\)|__main__\.|\bgetmembers\b')
# Several coroutines at once; and what ends or limits one.
CONCURRENT = re.compile(r'\b(?:gather|create_task|ensure_future|as_completed|TaskGroup|asyncio\.wait)\b')
LIMITED = re.compile(r'\b(?:wait_for|asyncio\.timeout|cancel)\b')
SEEDED = re.compile(r'\brandom\.seed\(')
# An attribute that may be set.
CHANGES = re.compile(r'\w\.\w+\s*(?:,.*)?=(?!=)|\bpatch\.object\(')
# What a script may replace to ask the code otherwise, or to see what it prints.
INPUT, OUTPUT = {'sys.stdin', 'sys.argv'}, {'sys.stdout', 'sys.stderr'}
# No script can name it.
SAME = 'the same object'
# Built-in functions that run text or compile it; modules of Python that run text which they get; other modules that may run text.
EXECUTING = 'eval', 'exec', 'compile'
RUNNERS = set('doctest timeit code codeop runpy bdb pdb trace profile cProfile'.split())
LIBRARIES = {'isopod library', 'numpy', 'pandas'}


def look_for_unshared(judge, script, tree, given):
    """Notices by its text that a script uses what the processes do not share."""
    inspects, observed = INSPECTS.search(script), OBSERVED.search(script)
    # Most scripts change no attribute, and the tree need not be read for that.
    changed = replaced_attribute(tree) if CHANGES.search(script) else None
    replaced = REPLACED.search(script) or given.get('random') is True and SEEDED.search(script)
    if inspects:
        judge.excuse = f'{line_of(inspects)}the judge does not know all that {closed(inspects[0])} shows'
    if observed:
        judge.doubt = judge.excuse = f'{line_of(observed)}the code does not share {closed(observed[0])} with the script'
    if replaced or changed:
        place, what = (line_of(replaced), closed(replaced[0])) if not changed else ('', changed)
        judge.excuse = f'{place}the code does not share {what} with the script'
    if changed and changed not in INPUT:
        judge.doubt = judge.doubt or judge.excuse
    if 'raise' in script:
        blocks = [node.body for node in ast.walk(tree) if isinstance(node, (ast.With, ast.AsyncWith))]
        judge.unconditional = {line for body in blocks for line in lines_that_raise(body)}
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] if 'class' in script else []
    judge.fills_classes = any(
        isinstance(getattr(each, 'value', None), ast.Call) or getattr(each, 'decorator_list', None) for node in classes for each in node.body)
    judge.is_concurrent = CONCURRENT.search(script) is not None
    judge.is_limited = LIMITED.search(script) is not None


def line_of(found):
    """The line of the script in which a match begins, as the beginning of a message."""
    return f'line {found.string.count(chr(10), 0, found.start()) + 1}: '


def closed(text):
    """The beginning of a call as the whole of one."""
    text = text.strip()
    for quote in '"', "'":
        text += quote * (text.count(quote) % 2)
    return text + ')' * (text.count('(') - text.count(')'))


def lines_that_raise(body):
    """The lines of a block that raise an error in any case: those that only statements precede which cannot judge."""
    for node in body:
        if isinstance(node, ast.Raise):
            yield node.lineno
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Pass)):
            return


def replaced_attribute(tree):
    """An attribute of a module that the script replaces, but for output; None if there is none."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    modules = {(each.asname or each.name).partition('.')[0] for node in imports for each in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and getattr(node.value, 'id', None) in modules:
            name = f'{node.value.id}.{node.attr}'
            if isinstance(node.ctx, ast.Store) and name not in OUTPUT:
                return name
        if isinstance(node, ast.Call) and getattr(node.func, 'attr', None) == 'object' and node.args:
            if getattr(node.args[0], 'id', None) in modules:
                return node.args[0].id
    return None


def run_only_own_text(judge, tree):
    """Lets eval, exec and compile run no text but that of the script: what the code makes would run in the judge's process."""
    def is_refused(source, caller):
        module = str(caller.f_globals.get('__name__')).partition('.')[0]
        if isinstance(source, types.CodeType) or module in LIBRARIES or module in sys.stdlib_module_names - RUNNERS:
            return False
        return type(source) is not str or not any(
            type(node) is ast.Constant and type(node.value) is str and node.value == source for node in ast.walk(tree))

    def guarded(name, run):
        def call(source, *args, **kwargs):
            caller = sys._getframe(1)
            if is_refused(source, caller):
                unverified(judge, f'{name} would run what the code made')
            if name == 'compile' or args or kwargs:
                return run(source, *args, **kwargs)
            return run(source, caller.f_globals, caller.f_locals)
        return call
    for name in EXECUTING:
        setattr(builtins, name, guarded(name, getattr(builtins, name)))


def refuse_pickles(judge):
    """Reading a pickle runs what it names, and objects of the code cannot be written."""
    import pickle

    def refused(*_, **__):
        unverified(judge, 'a pickle could run code in the process of the judge')
    pickle.loads = pickle.load = pickle.dumps = pickle.dump = refused


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
