more = '''
def more(script, main, tests, notes, given):
    import sys, _ast
    slot, module, function = type(object.__eq__), type(sys), type(lambda: 0)
    modules, called, entered = set(), set(), set()
    plain = {int, float, complex, bool, str, bytes, type(None), range, slice, type}
    probes = 0, 2 ** 61 - 3, 0.5, '', 'isopod', b'', (), (0,), [], [0], {}, {0: 0}, None, object()
    signs = {'Eq': '==', 'NotEq': '!=', 'Lt': '<', 'LtE': '<=', 'Gt': '>', 'GtE': '>=', 'In': 'in', 'NotIn': 'not in'}
    orders = '__lt__', '__le__', '__gt__', '__ge__'

    def method(thing, name):
        # Not through the class's own attributes, which it can change.
        for each in type.__dict__['__mro__'].__get__(type(thing)):
            found = type.__dict__['__dict__'].__get__(each)
            if name in found:
                return None if type(found[name]) is slot else found[name]

    def odd(thing):
        found, todo = [], [thing]
        for _ in range(2000):
            if not todo:
                break
            one = todo.pop()
            kind = type(one)
            if kind in (list, tuple, set, frozenset):
                todo += [*one][:2000]
            elif kind is dict:
                todo += [*one][:2000] + [*one.values()][:2000]
            elif kind not in plain and method(one, '__eq__') is not None:
                found.append(one)
        return found

    def holds(ask):
        try:
            return bool(ask())
        except Exception:
            return False

    def look(these, others):
        kinds = {type(each) for each in others}
        for each in these:
            # The probes differ from each other, so no honest value equals two of them.
            if sum(holds(lambda: each == probe) for probe in probes) > 1:
                notes.add('equality')
            code = getattr(method(each, '__eq__'), '__code__', None)
            if type(each) not in kinds and getattr(code, 'co_filename', main) == main:
                notes.add('own')

    def compare(one, sign, other):
        if sign == '==':
            result = one == other
        elif sign == '!=':
            result = one != other
        elif sign == '<':
            result = one < other
        elif sign == '<=':
            result = one <= other
        elif sign == '>':
            result = one > other
        elif sign == '>=':
            result = one >= other
        elif sign == 'in':
            result = one in other
        elif sign == 'not in':
            result = one not in other
        elif sign == '-':
            result = one - other
        else:
            return entered.add(one)
        if type(one) in plain and type(other) in plain:
            return result
        if '<' in sign or '>' in sign or sign == '-':
            for each in (one, other):
                if sign != '-' and any(method(each, name) for name in orders):
                    if holds(lambda: each < float('-inf')) or holds(lambda: each > float('inf')):
                        notes.add('equality')
                if (type(one) in plain or type(other) in plain) and any(map(written, inside(type(each)))):
                    notes.add('own')
        elif result is (sign in ('==', 'in')):
            these, others = odd(one), odd(other)
            look(these, others)
            look(others, these)
            if 'in' in sign and method(other, '__contains__') and holds(lambda: object() in other):
                notes.add('equality')
        return result

    def placed(node, like):
        node.lineno, node.end_lineno, node.col_offset, node.end_col_offset = (
            like.lineno, like.end_lineno, like.col_offset, like.end_col_offset)
        return node

    def compared(node, one, sign, other):
        # Not a valid identifier, so no program has the name by accident.
        name = placed(_ast.Name('==', _ast.Load()), node)
        return placed(_ast.Call(name, [one, placed(_ast.Constant(sign), node), other], []), node)

    def swapped(node):
        # A difference must be computed by the tests, not by the code's own operators.
        if type(node) is _ast.BinOp and type(node.op) is _ast.Sub:
            # In a pattern of `match` only a literal is allowed.
            if type(getattr(node.right, 'value', None)) is complex:
                return node
            return compared(node, node.left, '-', node.right)
        if type(node) is not _ast.Compare or len(node.ops) != 1 or type(node.ops[0]).__name__ not in signs:
            return node
        return compared(node, node.left, signs[type(node.ops[0]).__name__], node.comparators[0])

    def rewritten(tree):
        defined = {each.name: each for each in tree.body if type(each) is _ast.FunctionDef}
        for each in tree.body:
            if type(each) is _ast.Expr and type(each.value) is _ast.Call and type(each.value.func) is _ast.Name:
                if each.value.func.id in defined:
                    called.add(each.value.func.id)
        todo = [tree]
        while todo:
            node = todo.pop()
            kind = type(node)
            if kind is _ast.Constant or kind is _ast.Name:
                continue
            if kind is _ast.Import:
                modules.update(each.name for each in node.names)
            elif kind is _ast.ImportFrom and node.module:
                modules.add(node.module)
            for field in node._fields:
                value = getattr(node, field, None)
                if type(value) is list:
                    value[:] = map(swapped, value)
                    todo += [each for each in value if isinstance(each, _ast.AST)]
                elif isinstance(value, _ast.AST):
                    setattr(node, field, swapped(value))
                    todo.append(getattr(node, field))
        for name in called:
            first = defined[name].body[0]
            nothing = placed(_ast.Constant(None), first)
            told = placed(_ast.Expr(compared(first, placed(_ast.Constant(name), first), '', nothing)), first)
            defined[name].body.insert(0, told)
        return tree

    def inside(kind):
        return [*type.__dict__['__dict__'].__get__(kind).values()]

    def written(thing):
        return type(thing) is function and thing.__code__.co_filename == main

    def replaced():
        """Whether a module that the script imports has something of the program's in it."""
        for name in modules:
            found = sys.modules.get(name)
            if found is None:
                continue
            if not isinstance(found, module):
                return True
            for each in [*vars(found).values()]:
                if any(map(written, inside(each) if type(each) is type else [each])):
                    return True
        return False

    def built():
        # A large script takes longer to rewrite than to run.
        large = len(script) > 131072
        given['=='] = compare
        return script if large else rewritten(compile(script, tests, 'exec', 0x400, True))

    def watched(ended):
        if given.pop('==', compare) is not compare:
            notes.add('builtins')
        if ended and called - entered or replaced():
            notes.add('replaced')

    return built, watched, {compare, look, holds, odd, method}

def show(error, space, sources):
    import linecache, sys
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is not space:
        trace = trace.tb_next
    for name, text in sources:
        linecache.cache[name] = len(text), None, text.splitlines(True), name
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)
'''

def harness(code, script, main, own, more):
    import posix, sys
    open, write, close, exit, getpid = posix.open, posix.write, posix.close, posix._exit, posix.getpid
    pid, tests, notes = getpid(), main.rpartition('/')[0] + '/script.py', set()
    given, builtin, kind = {**__builtins__}, __builtins__, type((lambda: 0).__code__)
    space, built, watched, mine, restore = {'__builtins__': vars(sys.modules['builtins'])}, None, None, (), None
    # Calls that reveal the harness or interrupt it between two lines.
    refused = {*"""
        gc.get_objects gc.get_referrers gc.get_referents sys.settrace sys.setprofile sys._current_frames
        sys._current_exceptions sys.addaudithook ctypes.string_at ctypes.wstring_at ctypes.memoryview_at ctypes.cdata
    """.split()}
    # With only these modules and without the words below, code can neither customize comparisons nor reach the tests.
    modules = {*"""
        array base64 bisect calendar cmath collections copy datetime decimal fractions functools hashlib heapq itertools
        json math numbers operator random re statistics string struct textwrap time typing unicodedata zlib
    """.split()}
    # Two of them are split, because a preload imports every module that is named here.
    words = {*sys.stdlib_module_names - modules, 'num' 'py', 'pan' 'das', *"""
        ABCMeta EnumMeta EnumType Enum compile delattr eval exec getattr globals locals modules object setattr super type
        vars ForwardRef Formatter attrgetter get_type_hints methodcaller update_wrapper wraps
    """.split()}

    def is_memory(path):
        if isinstance(path, bytes):
            path = bytes.decode(path, 'latin-1')
        # By the last part of the path: the rest can be written in many ways, or be left out.
        folder, _, name = str.rpartition(path, '/') if isinstance(path, str) else ('', '', '')
        return name == 'mem' or name[-4:] == 'maps' and folder[:6] == '/proc/'

    def hook(event, args):
        if (
            event in refused
            or event == 'object.__setattr__' and args[1] == '__code__' and args[0] in mine
            or event in ('open', 'os.symlink', 'os.link') and is_memory(args[0])
        ):
            raise RuntimeError(event + ' is not there while tests run')

    def names(program):
        found, todo = set(), [program]
        while todo:
            one = todo.pop()
            found.update(one.co_names)
            for each in one.co_consts:
                if type(each) is kind:
                    todo.append(each)
                elif type(each) is str and each[:2] == '__':
                    found.add(each)
        return found

    def take():
        file = open(main, 0)
        posix.lseek(file, -200, 2)
        report = posix.read(file, 200).rpartition(b'#')[2].strip()
        close(file)
        posix.unlink(main)
        return report

    def start():
        nonlocal built, watched, mine
        own.clear()
        own.update(__name__='__main__', __builtins__=sys.modules['builtins'])
        program = compile(code, main, 'exec', 0, True)
        used = {name.partition('.')[0] for name in names(program)}
        if (
            'import' in script
            or posix.listdir(tests[:-10])
            or not used.isdisjoint(words)
            or any(name[:2] == '__' for name in used)
        ):
            inside = {'__builtins__': builtin}
            exec(more, inside)
            built, watched, mine = inside['more'](script, main, tests, notes, given)
        sys.addaudithook(hook)
        return program, space

    def between(_):
        program = compile(script if built is None else built(), tests, 'exec', 0, True)
        used = {name for name in names(program) if name in space and name[:2] != '__'}
        shadows = used & builtin.keys()
        if '==' in space or shadows and used != shadows:
            notes.add('shadow')
        space['__builtins__'] = given
        if 'unittest.main' in script:
            run_tests_of(space)
        return program, space

    def run_tests_of(space):
        """Has unittest.main() run the tests of the script, which is not the main module, and go on if they pass."""
        nonlocal restore
        import unittest
        own, program, script = unittest.main, unittest.TestProgram, type('script', (), {})()
        space['__name__'], script.__dict__ = '__main__', space

        def main(module=script, *args, **kwargs):
            if not program(module, *args, **{**kwargs, 'exit': False}).result.wasSuccessful():
                raise AssertionError('tests failed')
        unittest.main = main

        def restore():
            unittest.main = own

    def runs(exec, parts):
        # Everything that is needed later is on this line's stack before the code runs, where no name leads to it.
        try:
            exec(*parts.pop()(exec(*parts.pop()())))
        except BaseException as error:
            return error

    def done(report, error):
        if error is None and getpid() != pid:
            exit(1)
        if restore is not None:
            restore()
        if watched is not None:
            watched(error is None)
        if '==' in space or any(given.get(name, given) is not builtin[name] for name in builtin):
            notes.add('builtins')
        if not notes.isdisjoint(('equality', 'builtins', 'replaced')):
            write(2, f'\nisopod: {" ".join(sorted(notes))}\n'.encode())
            exit(97)
        if error is None:
            file = open(report, 0o2000301, 0o600)
            write(file, '\n'.join(notes).encode())
            close(file)
            return
        if isinstance(error, SystemExit):
            raise error
        inside = {'__builtins__': builtin}
        exec(more, inside)
        inside['show'](error, space, ((main, code), (tests, script)))
        raise SystemExit(1)

    return done, take, runs, [start, between]

ends, takes, runs, parts = type(harness)(harness.__code__, {'__builtins__': {**vars(__builtins__)}})(
    {code_json}, {script_json}, __file__, globals(), more
)
ends(takes(), runs(exec, parts))
#{report}
