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

LARGEST_ANSWER = 1 << 22
SHOWN_OUTPUT = 1 << 16
SCRIPT = '/workspace/script.py'
# Nodes of literals, as arguments of calls.
LITERAL_NODES = {ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.keyword, ast.Load}
# Texts of scripts that make classes by functions.
MAKES_CLASSES = re.compile(r'\btype\(|Enum|Flag|make_dataclass')
# Names under which programs import modules.
ALIASES = {'np': 'numpy', 'pd': 'pandas', 'dt': 'datetime'}
# A script to rehearse with, and what the code answers to it.
SAMPLE = '''
def check(candidate):
    assert candidate([1, 2]) == [2, 4], 'two'
    assert candidate([0.5], name='x') == [1.0]

check(double)
'''
SAMPLE_CLASS = ['class', 1, 'function', 'builtins', [], [], ['__call__', '__get__', '__repr__'], None]
SAMPLE_ANSWERS = ['tuple', ['dict', 'double', ['object', 0, SAMPLE_CLASS, 'identity', {}, None]], ['dict']], ['list', 2, 4], ['list', 1.0]


def rehearse():
    """
    Judges a sample in an interpreter that starts ahead. Python specializes code by writing to it; forks of specialized code write
    less, and copy fewer pages. Calls nothing that changes a module.
    """
    source, sink = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    answers = Channel(None, sink, 0)
    for _ in range(3):
        asker = Judge(Channel(source, null, LARGEST_ANSWER))
        tree, _, program = compiled(SAMPLE)
        for answer in SAMPLE_ANSWERS:
            answers.send(['ok', answer, '', [], []], is_alone=False)
        given, asker.settings = asker.ask('run')
        look_for_unshared(asker, SAMPLE, tree, given)
        look_for_calls(asker, tree)
        names = Names(asker, given)
        CallsAhead(names, asker.foresee).read(tree)
        exec(program, {'__builtins__': names})
        asker.check_forgotten()
        asker.check_contents()
        asker.check_calls()
    for each in source, sink, null:
        os.close(each)


def resolve(tree, names, judge):
    """Decides whose a name is that both the code and Python define."""
    loads, calls, computed, imports_code = collections.Counter(), collections.Counter(), set(), False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            loads[node.id] += 1
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls[node.func.id] += 1
            if not has_literals_only(node):
                computed.add(node.func.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imports_code = imports_code or 'main' in (getattr(node, 'module', None), *(each.name for each in node.names))
    used = {name for name in names.given if loads[name]}
    # With an import, the script has all names of the code by that.
    shadows = {name for name in used if hasattr(builtins, name)} if not imports_code else set()
    if shadows and loads.keys() & set(EXECUTING):
        judge.doubt = judge.doubt or f'{", ".join(sorted(shadows))} can be the code\'s or Python\'s in text that the script runs'
    elif shadows == used and len(shadows) == 1:
        # The function under test has the name of a built-in one.
        del names[shadows.pop()]
    for name in shadows & set(names):
        if loads[name] == calls[name]:
            names[name] = both(judge, name, name not in computed)
        else:
            judge.doubt = judge.doubt or f'{name} can be the code\'s or Python\'s'


def has_literals_only(call):
    return all(type(part) in LITERAL_NODES for each in (*call.args, *call.keywords) for part in ast.walk(each))


def resolve_modules(tree, names, judge):
    """Gives the script modules of its own in place of those that the code has imported, if that makes no difference."""
    loads, taken, bound, on_literals = collections.Counter(), {}, set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            loads[node.id] += 1
            if isinstance(node.ctx, ast.Store):
                bound.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            taken.setdefault(node.value.id, []).append(node)
        elif isinstance(node, ast.Call) and has_literals_only(node):
            on_literals.add(node.func)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update(each.asname or each.name.partition('.')[0] for each in node.names)
    for name in names.given.keys() & (sys.stdlib_module_names | MODULES | ALIASES.keys()) & loads.keys() - bound:
        path, parts = ALIASES.get(name, name), taken.get(name, ())
        library = imported(path)
        if loads[name] == len(parts) and all(is_same_here(library, path, each, on_literals) for each in parts):
            names[name] = library
            if path in MODULES:
                judge.own_modules[name] = library
        elif names.given[name] is True and path not in MODULES:
            judge.doubt = judge.doubt or f'{name} is a module in the process of the code'


def imported(path):
    try:
        return __import__(path)
    except ImportError:
        return None


def is_same_here(library, path, part, on_literals):
    """Whether a part of a module is the same in both processes; the size of an object is, if no code has made it."""
    if not hasattr(library, part.attr):
        return False
    if path in MODULES or part.attr == 'getsizeof' and part in on_literals:
        return True
    return is_shared(path, [part.attr]) and not isinstance(getattr(library, part.attr), types.ModuleType)


def look_for_calls(judge, tree):
    """Notes by which attributes the script calls something, and whether it calls what it finds in a variable or an answer."""
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    judge.called_attributes = {each.attr for each in called if isinstance(each, ast.Attribute)}
    judge.calls_found = any(each.id in stored if isinstance(each, ast.Name) else not isinstance(each, ast.Attribute) for each in called)


def both(judge, name, is_literal):
    """A built-in function that the code defines, too: it may be under test, or what the script judges with."""
    own = getattr(builtins, name)
    # The code's function is asked after the script has ended.
    return lambda *args, **kwargs: judge.note_call(name, own, is_literal, args, kwargs)


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


def judge(script, report, stdin):
    # The file of this program has the script in it, and the name of the report.
    os.unlink(sys.argv[0])
    source, sink = take_streams(stdin)
    asker = Judge(Channel(source, sink, LARGEST_ANSWER))
    end, message = ended(asker, script)
    asker.is_running = False
    try:
        asker.check_forgotten()
        asker.check_contents()
        if end == 'passed':
            end, message = checked(asker)
        else:
            asker.check_settings()
            asker.check_modules()
    except BaseException as error:
        asker.doubt = asker.doubt or f'what the code made cannot be looked at ({type(error).__name__})'
        asker.is_undecided = True
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
        'askedAhead': bool(asker.ahead) and not asker.is_lost, 'inCallback': asker.failed is not None})
    with open(report, 'x', encoding='utf-8') as file:
        file.write(content)
    os._exit(0)


def is_raised_by_script(trace):
    """Whether the script raised an error, or its test runner."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename
    return file == SCRIPT or '/unittest/' in file


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


def compiled(script):
    """The tree of a script, the texts that it formats, and its program."""
    # Once, because each reading of the text can print warnings.
    tree, formats = ast.parse(script, SCRIPT), Formats()
    if ' is ' in script:
        tree = Identities().visit(tree)
    if 'ormat' in script:
        tree = formats.visit(tree)
    if 'type' in script:
        tree = OwnClasses().visit(tree)
    return tree, formats, compile(tree, SCRIPT, 'exec', 0, True)


def ended(asker, script):
    """Runs the script. Returns how it ended, and a text about it."""
    linecache.cache[SCRIPT] = len(script), None, script.splitlines(True), SCRIPT
    main = types.ModuleType('__main__')
    try:
        tree, formats, program = compiled(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return 'broken', f'{type(error).__name__}: {error}'
    try:
        given, asker.settings = asker.ask('run')
        look_for_unshared(asker, script, tree, given)
        executing = run_only_own_text(asker, tree)
        compare_counters_there()
        look_for_calls(asker, tree)
        names = Names(asker, given)
        names.update(executing)
        ask_for_identities(names, asker, script)
        give_main(names, given)
        guard_attributes(asker, tree, names)
        refuse_given_annotations(asker, tree)
        names[FORMAT] = formatting(asker, formats.uses)
        if 'setrecursionlimit' in script:
            share_depth(asker)
        if MAKES_CLASSES.search(script):
            make_only_own_classes(asker, names, script)
        if 'pickle' in script:
            refuse_pickles(asker)
        if any(hasattr(builtins, name) for name in given):
            resolve(tree, names, asker)
        if any(name in ALIASES or name in MODULES or name in sys.stdlib_module_names for name in given):
            resolve_modules(tree, names, asker)
        if 'dataclasses' in script:
            ask_for_dataclasses(asker)
        if 'unittest' in script:
            watch_results(asker)
        if len(script) <= MAX_SCRIPT_CHARACTERS:
            CallsAhead(names, asker.foresee).read(tree)
        sys.modules['__main__'] = main
        read_only_named_files(asker, tree)
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
        return 'error', f'the code ended its process with {shortly(error.code)}'
    except SystemExit as error:
        if asker.is_lost:
            return 'lost', ''
        if not is_raised_by_script(error.__traceback__):
            return 'unverified', 'a part of the library ended the script'
        # The script's own, as of unittest.main().
        return ('passed', '') if error.code in (None, 0, False) else ('assertion', f'the script ended with {error.code!r}')
    except BaseException as error:
        if is_of_script(error, vars(main)):
            asker.excuse = f'the code uses a name of the script: {error.args[0]}'
        elif isinstance(error, FileNotFoundError):
            asker.excuse = 'the script and the code do not share files'
        elif is_of_built_in(error, asker):
            asker.excuse = f'a function of Python takes no object of the code: {error}'
        return ('assertion' if isinstance(error, AssertionError) else 'error'), shown(asker, error)
    return ('lost', '') if asker.is_lost else ('passed', '')


def is_of_built_in(error, asker):
    """Whether a function of Python refused an object of the code, which is no instance of a built-in type in the judge."""
    if not isinstance(error, TypeError) or '_remote' in vars(error):
        return False
    return not asker.plain_names.isdisjoint(re.findall(r'\w+', str(error)))


def is_of_script(error, names):
    """Whether the code lacks a name that the script has."""
    if not isinstance(error, NameError) or '_remote' not in vars(error):
        return False
    message = error.args[0] if error.args else ''
    found = re.match("name '(.*?)'", message) if type(message) is str else None
    return found is not None and found[1] in names


def shortly(value):
    """Shows a value of the code, which can fail."""
    try:
        return repr(value)
    except BaseException:
        return type(value).__name__


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
