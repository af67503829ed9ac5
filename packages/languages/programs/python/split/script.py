"""The judge's process: runs a script, in which the names that the code defines stand for what is in the code's process."""
import ast
import json
import linecache
import os
import traceback
# Scripts import these; an interpreter that starts ahead has them.
import copy  # noqa: F401
import itertools  # noqa: F401
import math  # noqa: F401
import re  # noqa: F401

LARGEST_ANSWER = 1 << 22
SHOWN_OUTPUT = 1 << 16
SCRIPT = '/workspace/script.py'
# What a script changes in its own process, where the code does not see it.
REPLACED = re.compile(r'''
    \bsys\.stdin\s*=(?!=) | \bpatch(?:\.dict)?\(\s*[bru]*['"][^'"]* | \bassertLogs\( | \bsetattr\(\s*builtins\b |
    \bcatch_warnings\( | \bredirect_stderr\( | \bos\.environ\b |
    \b(?:globals|locals)\(\) | (?<![\w.])dir\(\) |
    \btempfile\. | \bos\.(?:path\.(?:exists|is\w+)|listdir)\(
''', re.VERBOSE)
# By these a script looks at what the processes do not share: how the code is written, and where.
INSPECTS = re.compile(
    r'\binspect\.|\bget_(?:type_hints|args|origin)\b|__(?:mro|bases|subclasses|module|code|wrapped)__|\.mro\(\)|__main__\.|\bgetmembers\b')
CONCURRENT = re.compile(r'\b(?:gather|wait_for|create_task|ensure_future|as_completed|TaskGroup|asyncio\.timeout|asyncio\.wait|cancel)\b')
SEEDED = re.compile(r'\brandom\.seed\(')
# No script can name it.
SAME = 'the same object'
# Built-in functions that run text, or make it ready to run.
EXECUTING = 'eval', 'exec', 'compile'


def resolve(tree, names, judge):
    """Decides whose a name is that both the code and Python define."""
    loads, calls, attributes = collections.Counter(), collections.Counter(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            loads[node.id] += 1
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls[node.func.id] += 1
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.setdefault(node.value.id, []).append(node.attr)
    used = {name for name in names.given if loads[name]}
    shadows = {name for name in used if hasattr(builtins, name)}
    if shadows == used and len(shadows) == 1:
        # The function under test has the name of a built-in one.
        del names[shadows.pop()]
    for name in shadows & set(names):
        if loads[name] == calls[name]:
            names[name] = both(judge, name)
        else:
            judge.doubt = judge.doubt or f'{name} can be the code\'s or Python\'s'
    for name in used & MODULES:
        taken = attributes.get(name, ())
        if names.given[name] is not True and loads[name] == len(taken):
            library = __import__(name)
            if all(hasattr(library, each) for each in taken):
                names[name] = library


def both(judge, name):
    """A built-in function that the code defines, too: it may be under test, or what the script judges with."""
    own = getattr(builtins, name)
    # The code's function is asked after the script has ended.
    return lambda *args, **kwargs: judge.note_call(name, own, args, kwargs)


def only_own_text(judge, script, name):
    """eval, exec or compile for the text of the script: what the code makes would run in the judge's process."""
    run = getattr(builtins, name)

    def call(source, *args, **kwargs):
        if not isinstance(source, types.CodeType) and (type(source) is not str or source not in script):
            unverified(judge, f'{name} would run what the code made')
        if name == 'compile' or args or kwargs:
            return run(source, *args, **kwargs)
        caller = sys._getframe(1)
        return run(source, caller.f_globals, caller.f_locals)
    return call


def refuse_pickles(judge):
    """Reading a pickle runs what it names, and objects of the code cannot be written."""
    import pickle

    def refused(*_, **__):
        unverified(judge, 'a pickle could run code in the process of the judge')
    pickle.loads = pickle.load = pickle.dumps = pickle.dump = refused


def ask_for_dataclasses(judge):
    """Has the code look at its own dataclasses: their fields are recognized by objects of one process."""
    import dataclasses

    def asking(name, own):
        def call(thing, /, *args, **kwargs):
            known = about(thing)
            return own(thing, *args, **kwargs) if known is None else judge.ask('dataclass', name, known, *args, **kwargs)
        return call
    for name in 'fields', 'asdict', 'astuple', 'replace':
        setattr(dataclasses, name, asking(name, getattr(dataclasses, name)))


def watch_results(judge):
    """Notices tests of unittest that fail, whatever the script does with the result."""
    from unittest import TestResult

    def watched(method):
        def noted(result, *parts):
            *tests, error = parts
            if error is not None:
                judge.failed_test = judge.failed_test or f'{tests[-1]}: {error}'
            return method(result, *parts)
        return noted
    for name in 'addFailure', 'addError', 'addSubTest':
        setattr(TestResult, name, watched(getattr(TestResult, name)))


class Identities(ast.NodeTransformer):
    """Compares objects of the code by what they are there."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        is_asked = len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot))
        if not is_asked or isinstance(node.left, ast.Constant) or isinstance(node.comparators[0], ast.Constant):
            return node
        asked = ast.Call(ast.Name(SAME, ast.Load()), [node.left, node.comparators[0]], [])
        made = asked if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), asked)
        return ast.fix_missing_locations(ast.copy_location(made, node))


def same(one, other):
    """Whether two values are one object, in the judge's process or in the code's."""
    first, last = about(one), about(other)
    if first is None or last is None or 'member' in (first._isopod_rule, last._isopod_rule):
        return one is other
    return one is other or first._isopod_number == last._isopod_number and type(one) is type(other)


def judge(script, report, stdin):
    source, sink = take_streams(stdin)
    asker = Judge(Channel(source, sink, LARGEST_ANSWER))
    end, message = ended(asker, script)
    asker.check_forgotten()
    if end == 'passed':
        end, message = checked(asker)
    if asker.failed:
        end, message = 'assertion', shown(asker, asker.failed)
    if asker.doubt and (end != 'assertion' or asker.is_undecided):
        end, message = 'unverified', asker.doubt
    if asker.excuse and end in ('assertion', 'error'):
        end, message = 'unverified', asker.excuse
    sys.stdout = sys.__stdout__
    sys.stderr.flush()
    printed = taken_output()
    content = json.dumps({
        'end': end, 'message': message[-300:], 'stdout': printed[:SHOWN_OUTPUT], 'printed': len(printed.encode()),
        'askedAhead': bool(asker.ahead) and not asker.is_lost})
    with open(report, 'x', encoding='utf-8') as file:
        file.write(content)
    os._exit(0)


def checked(asker):
    """What a script that passed leaves to be looked at."""
    if asker.failed_test:
        return 'assertion', asker.failed_test
    try:
        asker.check_calls()
    except Unverified as error:
        return 'unverified', str(error)
    except BaseException:
        return 'lost', ''
    return 'passed', ''


def ended(asker, script):
    """Runs the script. Returns how it ended, and a text about it."""
    linecache.cache[SCRIPT] = len(script), None, script.splitlines(True), SCRIPT
    main = types.ModuleType('__main__')
    try:
        # Once, because each reading of the text can print warnings.
        tree = ast.parse(script, SCRIPT)
        if ' is ' in script:
            tree = Identities().visit(tree)
        program = compile(tree, SCRIPT, 'exec', 0, True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return 'broken', f'{type(error).__name__}: {error}'
    try:
        given = asker.ask('run')
        if type(given) is not dict:
            raise Ended
        replaced = REPLACED.search(script) or given.get('random') is True and SEEDED.search(script)
        inspects = INSPECTS.search(script)
        if inspects:
            asker.excuse = f'the judge does not know all that {inspects[0]} shows'
        if replaced:
            asker.excuse = f'the script changes what is not shared with the code: {replaced[0]}'
        asker.is_concurrent = CONCURRENT.search(script) is not None
        names = Names(asker, given)
        names[SAME] = same
        names.update({name: only_own_text(asker, script, name) for name in EXECUTING if name not in given})
        if 'pickle' in script:
            refuse_pickles(asker)
        if any(hasattr(builtins, name) or name in MODULES for name in given):
            resolve(tree, names, asker)
        if 'dataclasses' in script:
            ask_for_dataclasses(asker)
        if 'unittest' in script:
            watch_results(asker)
        if len(script) <= MAX_SCRIPT_CHARACTERS:
            CallsAhead(names, asker.foresee).read(tree)
        sys.modules['__main__'] = main
        vars(main).update(__file__=SCRIPT, __builtins__=names)
        exec(program, vars(main))
    except Unverified as error:
        return 'unverified', str(error)
    except Ended:
        return 'lost', ''
    except CodeExit as error:
        # As a program that ends with 0 before its tests do.
        if type(error.code) in (bool, int, type(None)) and not error.code:
            return 'lost', ''
        return 'error', f'the code ended its process with {error.code!r}'
    except SystemExit as error:
        if asker.is_lost:
            return 'lost', ''
        # The script's own, as of unittest.main().
        return ('passed', '') if error.code in (None, 0, False) else ('assertion', f'the script ended with {error.code!r}')
    except BaseException as error:
        if is_of_script(error, vars(main)):
            asker.excuse = f'the code uses a name of the script: {error}'
        elif isinstance(error, FileNotFoundError):
            asker.excuse = 'the script and the code do not share files'
        return ('assertion' if isinstance(error, AssertionError) else 'error'), shown(asker, error)
    return ('lost', '') if asker.is_lost else ('passed', '')


def is_of_script(error, names):
    """Whether the code lacks a name that the script has."""
    if not isinstance(error, NameError) or '_remote' not in vars(error):
        return False
    found = re.match("name '(.*?)'", str(error.args[:1][0] if error.args else ''))
    return found is not None and found[1] in names


def shown(asker, error):
    """Shows an error. One of the code can have parts that cannot be shown."""
    try:
        trace, last = described(error)
    except BaseException:
        trace, last = '', f'{type(error).__name__}\n'
    sys.stderr.write(trace + last)
    remote = getattr(error, '__dict__', {}).get('_remote')
    if remote is not None and not asker.is_lost:
        try:
            sys.stderr.write(text(asker.ask('trace', remote)))
        except BaseException:
            pass
    return last.strip()


def described(error):
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != SCRIPT:
        trace = trace.tb_next
    # Frames of the judge itself say nothing to the script's author.
    frames = [each for each in traceback.extract_tb(trace) if each.filename == SCRIPT]
    last = ''.join(traceback.format_exception_only(error))
    return 'Traceback (most recent call last):\n' + ''.join(traceback.format_list(frames)), last
