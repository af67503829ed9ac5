"""The code's process: runs the code, and answers what the judge asks of it."""
import collections
import math
import operator
import os
import sys
import types
from _thread import RLock

# No judge has use for a larger batch, and code can yield without end.
BATCH = 256
# Of containers that the script may have kept, the latest ones.
MAX_HELD_ITEMS = 4000
# How many items of one container count, and how many the largest one that is held may have.
MAX_COUNTED_ITEMS, MAX_CONTAINER_ITEMS = 1000, 20_000
# Characters of a text that code may compare by `is`.
LONGEST_INTERNED = 100
# Code to rehearse with, which imports what much code does, and questions about it.
SAMPLE = '''
import bisect, collections, copy, functools, heapq, itertools, math, re, string
from typing import Dict, List, Tuple

def double(numbers: List[int], name: str = '') -> List[int]:
    return [each * 2 for each in numbers]
'''
SAMPLE_QUESTIONS = [
    ['run', [], {}, []], ['call', [['object', 0], ['list', 1, 2]], {}, []],
    ['call', [['object', 0], ['list', 0.5]], {'name': 'x'}, []]]


class Server(References):
    def __init__(self, channel, code, path):
        self.channel, self.code, self.path = channel, code, path
        super().__init__()
        # Containers that the script may have kept, and that are not shared, with what they held then.
        self.held = []
        self.shared, self.loop = Shared(lambda each: self.hold([each])), None
        # Ids of iterators → what they raised behind the values that the judge has.
        self.failing = {}
        # What callbacks of the questions under way see.
        self.open = []
        # Threads of the code ask one after the other, and only while the judge waits for an answer.
        self.turn = RLock()
        # Not the main module, as in a test that imports the code: what it guards against an import does not run.
        self.main = type(sys)(CODE)
        self.operations = {
            'run': self.run, 'name': self.name, 'call': lambda it, /, *args, **kwargs: it(*args, **kwargs), 'get': getattr,
            'set': setattr, 'delete': delattr, 'item': operator.getitem, 'set_item': operator.setitem,
            'delete_item': operator.delitem, 'len': len, 'iter': iter, 'next': self.next,
            'bool': bool, 'int': int, 'float': float, 'index': operator.index, 'await': self.await_,
            **{each.__name__: text_of(each) for each in (str, repr, format)},
            **{each.__name__: truth_of(each) for each in (operator.eq, operator.ne)},
            'fields': self.fields, 'plain': self.plain, 'enter': lambda it: type(it).__enter__(it),
            'exit': self.exit, 'aiter': lambda it: type(it).__aiter__(it), 'anext': self.anext, 'aenter': self.aenter,
            'dir': dir, 'copy': self.copy, 'deepcopy': self.deepcopy, 'instance': isinstance, 'subclass': issubclass,
            'trace': self.trace, 'depth': sys.setrecursionlimit, 'abs': abs, 'round': round, 'reversed': reversed,
            'hash': hash, 'divmod': divmod, 'complex': complex, 'bytes': bytes, 'fspath': os.fspath, 'dataclass': self.dataclass,
            **{name: getattr(math, name) for name in ('trunc', 'floor', 'ceil')},
            **{name: getattr(operator, name) for name in 'add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift '
               'rshift lt le gt ge neg pos invert contains iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor '
               'ilshift irshift'.split()},
        }

    def serve(self):
        with self.turn:
            while True:
                self.answer(self.channel.receive())

    def answer(self, message):
        # The judge's messages are well formed.
        name, args, kwargs, changed = message
        try:
            with Deep():
                reader = Reader(self.own, self.shared.containers)
                args, kwargs = [*map(interned, reader.each(args))], {key: interned(reader.read(value)) for key, value in kwargs.items()}
                reader.change(changed)
        except NotReferable:
            # The judge knows the answer, and asks with it.
            return self.channel.send(AGAIN)
        content = Content(reader.containers)
        seen = Content(self.shared.seen(reader.containers))
        self.open.append(seen)
        self.turn.release()
        try:
            kind, result = 'ok', self.operations[name](*args, **kwargs)
        except Ended:
            raise
        except BaseException as error:
            kind, result = 'raise', error
        finally:
            self.turn.acquire()
            self.open.pop()
        with Deep():
            writer = Writer(self.refer, reader.containers)
            try:
                value = writer.write(result)
            except Exception as error:
                # The value has no end, or a property of it fails.
                writer = Writer(self.refer, reader.containers)
                kind, value = 'raise', writer.write(error)
            changed, fields = content.changed(writer), self.changed_fields() + self.changed_held()
        self.shared.keep(name, writer.containers)
        self.described |= writer.described
        self.latest.append(referable(result))
        self.channel.send([kind, value, taken_output(), changed, fields], kind != 'ok' or not writer.is_plain)

    def ask_judge(self, number, operation, args):
        with self.turn:
            return self.exchange(number, operation, args)

    def exchange(self, number, operation, args):
        seen = self.open[-1]
        writer = Writer(self.refer, seen.containers)
        args, changed = writer.each(args), seen.changed(writer)
        self.described |= writer.described
        self.channel.send(['ask', number, operation, args, taken_output(), self.changed_fields(), changed])
        while True:
            message = self.channel.receive()
            if message[0] == 'answer':
                break
            # The judge's function asks in turn.
            self.answer(message)
        _, is_value, value, changed = message
        reader = Reader(self.own, writer.containers)
        value = reader.read(value)
        reader.change(changed)
        seen.settle()
        self.hold(reader.containers[len(seen.containers):])
        if is_value:
            return value
        raise value

    def hold(self, containers):
        self.held += [(each, shallow(each)) for each in containers if len(each) < MAX_CONTAINER_ITEMS]
        room = MAX_HELD_ITEMS
        for at, (_, content) in reversed([*enumerate(self.held)]):
            room -= 1 + min(len(content), MAX_COUNTED_ITEMS)
            if room < 0:
                del self.held[:at + 1]
                break

    def changed_held(self):
        """Tells the judge once that the code has changed one of these containers: the script may have kept it."""
        if not any(has_changed(each, content) for each, content in self.held):
            return []
        self.held = []
        return [[HELD, None]]

    def run(self):
        # The code finds itself where a program without a judge does.
        with open(self.path, 'w', encoding='utf-8', errors='surrogatepass') as file:
            file.write(self.code)
        sys.modules[CODE] = self.main
        space = vars(self.main)
        space.update(__file__=self.path, __builtins__=__import__('builtins'))
        exec(compile(self.code, self.path, 'exec', 0, True), space)
        # Functions at once, because a script calls them; of other names whether they are modules.
        names = {name: value if type(value) is FUNCTION else isinstance(value, type(sys))
                 for name, value in space.items() if name[:2] != '__'}
        return names, settings()

    def name(self, name):
        return vars(self.main)[name]

    def next(self, iterator, size):
        if id(iterator) in self.failing:
            raise self.failing.pop(id(iterator))
        batch = []
        while len(batch) < min(size, BATCH):
            try:
                batch.append(next(iterator))
            except StopIteration as stop:
                return batch, True, stop.value
            except BaseException as error:
                if not batch:
                    raise
                # The values before it come first.
                self.failing[id(iterator)] = error
                break
            # Another one could be made of this one, before the judge has seen it.
            if not is_fixed(batch[-1]):
                break
        return batch, False, None

    def exit(self, manager, error):
        kind = type(manager)
        if hasattr(kind, '__exit__'):
            return bool(kind.__exit__(manager, *described_error(error)))
        return bool(self.finish(kind.__aexit__(manager, *described_error(error))))

    def anext(self, iterator):
        try:
            return (self.finish(type(iterator).__anext__(iterator)),)
        except StopAsyncIteration:
            return ()

    def aenter(self, manager):
        return self.finish(type(manager).__aenter__(manager))

    def await_(self, thing):
        return self.finish(thing)

    def finish(self, thing):
        """Waits for something awaitable, always in the same event loop."""
        import asyncio

        async def wait():
            return await thing
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        return self.loop.run_until_complete(wait())

    def fields(self, thing):
        if hasattr(type(thing), '__dataclass_fields__'):
            return {name: getattr(thing, name, None) for name in type(thing).__dataclass_fields__}
        found = {}
        for kind in type(thing).__mro__:
            for name in getattr(kind, '__slots__', ()):
                if hasattr(thing, name):
                    found[name] = getattr(thing, name)
        return {**found, **getattr(thing, '__dict__', {})}

    def plain(self, thing):
        for base, make in PLAIN.items():
            if isinstance(thing, base):
                return make(thing)

    def dataclass(self, name, /, *args, **kwargs):
        import dataclasses
        return getattr(dataclasses, name)(*args, **kwargs)

    def copy(self, thing):
        import copy
        return copy.copy(thing)

    def deepcopy(self, thing):
        import copy
        return copy.deepcopy(thing)

    def trace(self, error):
        import traceback
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != self.path:
            trace = trace.tb_next
        return ''.join(traceback.format_exception(type(error), error, trace))[-4000:]


def text_of(function):
    """A function whose text is plain, where a method gives one of a class derived from text."""
    return lambda *args: str.__str__(function(*args))


def truth_of(compare):
    """A comparison whose answer is a boolean, where a method gives a number or one of numpy's booleans."""
    def compared(one, other):
        found = compare(one, other)
        try:
            return bool(found)
        except Exception:
            return found
    return compared


def interned(value):
    """A text as a program that has it as a literal, so that `mode is 'add'` holds; any other value as it is."""
    return sys.intern(value) if type(value) is str and len(value) < LONGEST_INTERNED else value


def described_error(error):
    return (None, None, None) if error is None else (type(error), error, error.__traceback__)


def rehearse():
    """
    Runs a sample in an interpreter that starts ahead. Python specializes code by writing to it; forks of specialized code write
    less, and copy fewer pages.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for _ in range(3):
        server = Server(Channel(null, null, 0), SAMPLE, os.devnull)
        with server.turn:
            for question in SAMPLE_QUESTIONS:
                server.answer(question)
    os.close(null)
    del sys.modules[CODE]


def serve(code, stdin):
    path = sys.argv[0] if os.path.isabs(sys.argv[0]) else os.path.join(os.getcwd(), sys.argv[0])
    source, sink = take_streams(stdin)
    try:
        Server(Channel(source, sink, 1 << 26), code, path).serve()
    except Ended:
        # The judge is done. Threads of the code need not end.
        sys.stderr.flush()
        os._exit(0)
