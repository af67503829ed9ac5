"""What the code may do with things of the script that it was passed."""
import collections
import functools
import io
import random
import sys
import types

LENDABLE = io.StringIO, io.BytesIO, random.Random, object, types.SimpleNamespace
# The type of the key functions of functools.cmp_to_key, and of their keys.
KEY = type(functools.cmp_to_key(max))
LENT_METHODS = {f'__{name}__' for name in '''
    lt le gt ge eq hash add radd iadd sub rsub isub mul rmul imul truediv rtruediv floordiv rfloordiv mod rmod pow matmul neg pos abs
    invert and or xor lshift rshift len iter next reversed getitem setitem delitem contains bool int float index round str repr format
    call enter exit
'''.split()}
CALLS = set('call_args call_args_list call_count called mock_calls method_calls side_effect'.split())
MOCKED = [f'__{name}__' for name in 'call contains delitem enter exit getitem iter len setitem'.split()]
# What the code can ask for that runs something of the script.
EFFECTIVE = {'call', 'next', 'special', 'set'}
# Those that begin with a name.
NAMING = {'get', 'set', 'special'}
# Types of containers that can change, and the number of them that are watched.
CHANGING = {list, dict, set, bytearray, collections.deque, collections.defaultdict, collections.Counter, collections.OrderedDict}
MAX_HELD = 1000
# Bases that add nothing to the instances.
ABSTRACT = {'abc.ABC', 'typing.Generic', 'typing.Protocol', 'enum.Enum'}


def is_own(kind):
    """Whether the script alone defines a class, so that no library relies on its instances."""
    return all(each.__module__ in ('__main__', 'builtins') or f'{each.__module__}.{each.__name__}' in ABSTRACT
               for each in kind.__mro__)


def is_lendable_error(kind):
    """Whether code may make and raise exceptions of a class of the script. With those of assertions it could end a script as failed."""
    return type(kind) is type and is_own(kind) and issubclass(kind, Exception) and not issubclass(kind, AssertionError)


def is_mock(kind):
    return kind.__module__ == 'unittest.mock'


def is_autospec(thing):
    """Whether a function is a mock of one."""
    return type(thing) is types.FunctionType and is_mock(type(vars(thing).get('mock')))


def own_methods(kind):
    """The special methods that the script defines for a class, and that code may call."""
    if kind in (io.StringIO, io.BytesIO):
        return ['__iter__', '__next__']
    if kind is KEY:
        return ['__call__', '__lt__']
    if is_mock(kind):
        return [name for name in MOCKED if hasattr(kind, name)]
    found = {name for each in kind.__mro__ if each.__module__ == '__main__' for name in vars(each)}
    return sorted(found & LENT_METHODS)


class Lending:
    def __init__(self):
        self.lent, self.lent_numbers = [], {}
        # How many questions of the code are being answered.
        self.answering = 0
        # Containers that functions of the script got or gave, the latest ones.
        self.held = []

    def lend(self, thing):
        number = self.lent_numbers.setdefault(id(thing), len(self.lent))
        if number == len(self.lent):
            self.lent.append(thing)
        return number

    @property
    def has_lent_code(self):
        """Whether the code may call functions of the script, and not only built-in ones."""
        return any(type(each) is not types.BuiltinFunctionType for each in self.lent)

    def has_effect(self, number, operation):
        """Whether what the code asks can run something of the script."""
        return operation in EFFECTIVE and number in range(len(self.lent)) and not isinstance(self.lent[number], BaseException)

    def answer(self, *question):
        """Answers the code, which may use what the script passed to it, and has changed some containers of its question."""
        self.answering += 1
        try:
            return self.answered_by_script(*question)
        finally:
            self.answering -= 1

    def answered_by_script(self, number, operation, args, changed, containers):
        reader, content = Reader(self.meaning, containers, self.check_keys), Content(())
        try:
            known = len(self.claimed)
            thing, args = self.read_question(reader, number, operation, args)
            with self.silence:
                reader.change(changed)
            if any(isinstance(each, types.ModuleType) or not is_native(each) for each in self.claimed[known:]):
                unverified(self, 'the code passes a module or a class of Python to a function of the script')
            self.check_changed(changed)
            if changed:
                self.shared.settle()
            content = Content(reader.containers)
            if operation == 'call' and callable(thing):
                result = thing(*args[0], **args[1])
            elif operation == 'next' and hasattr(type(thing), '__next__'):
                result = next(thing)
            elif operation == 'special' and args[0] in own_methods(type(thing)):
                is_bound = is_mock(type(thing))
                result = getattr(thing, args[0])(*args[1:]) if is_bound else getattr(type(thing), args[0])(thing, *args[1:])
            elif operation == 'get' and self.is_shown(thing, args[0]):
                result = getattr(thing, args[0])
                if isinstance(result, (list, dict, set, collections.deque)):
                    self.excuse = self.excuse or f'what the code changes in {args[0]} of an object of the script is not seen there'
            elif operation == 'set' and (is_own(type(thing)) or type(thing) is types.SimpleNamespace) and self.may_set(thing, args[0]):
                result = setattr(thing, args[0], args[1])
            elif operation == 'dict' and is_own(type(thing)):
                self.excuse = self.excuse or 'what the code changes in __dict__ of an object of the script is not seen there'
                result = {name: value for name, value in vars(thing).items() if self.is_shown(thing, name)}
            elif operation == 'instance' and isinstance(thing, type):
                result = isinstance(args[0], thing)
            else:
                if type(args[0]) is str and (operation == 'set' or hasattr(thing, args[0])):
                    self.excuse = self.excuse or f'the code uses {args[0]} of an object of the script'
                raise AttributeError(f'{type(thing).__name__!r} object has no attribute {args[:1]}')
            given = [*args[0], *args[1].values()] if operation == 'call' else args
            self.held += [each for each in (result, *given) if type(each) in CHANGING]
            del self.held[:-MAX_HELD]
            writer = Writer(self.refer, reader.containers)
            with self.silence:
                return ['answer', True, writer.write(result), content.changed(writer)]
        except (Ended, Unverified):
            raise
        except AssertionError as error:
            # The code must neither see nor catch it: that would tell what the script expects.
            self.failed, self.is_lost = error, True
            raise Ended from None
        except BaseException as error:
            if isinstance(error, SystemExit) or type(error).__name__ in ('SkipTest', 'Skipped'):
                self.doubt = self.doubt or f'the code calls a function of the script that raises {type(error).__name__}'
            writer = Writer(self.refer, reader.containers)
            return ['answer', False, self.refer_error(writer, error), content.changed(writer)]

    def read_question(self, reader, number, operation, args):
        """What the code uses, and with what. An object of the code would be asked for names, or for the arguments of a call."""
        try:
            with self.silence:
                thing, args = numbered(self.lent, number), reader.each(args)
            if operation == 'call' and [*map(type, args)] != [tuple, dict] or operation in NAMING and type(args[0]) is not str:
                raise Ended
            return thing, args
        except (Unreadable, ValueError, TypeError, IndexError, KeyError, ArithmeticError, RecursionError):
            raise Ended from None

    def check_held(self):
        """The code has changed a container that is not shared. The script has a copy, if it has kept it."""
        # The list or the tuple, the loop and the call have it in any case.
        is_kept = any(sys.getrefcount(each) > 3 for each in self.held) or any(sys.getrefcount(each) > 3 for each, _ in self.forgotten.values())
        if is_kept:
            self.doubt = self.doubt or 'the code changes a container of which the script has a copy'
            self.excuse = self.excuse or self.doubt

    def is_shown(self, thing, name):
        """Whether the code may see an attribute: one that the script itself defines or sets."""
        if type(name) is not str or name[:1] == '_':
            return False
        if type(thing) in LENDABLE and type(thing) is not object or hasattr(type(thing), '__members__') and name in ('name', 'value'):
            return True
        if is_mock(type(thing)) or is_autospec(thing):
            # What the script configures, and nothing by which it judges.
            return name == 'return_value' or name[:6] != 'assert' and not hasattr(sys.modules['unittest.mock'].AsyncMock, name) \
                and name not in CALLS
        own = [each for each in type(thing).__mro__ if each.__module__ == '__main__']
        return name in getattr(thing, '__dict__', ()) or any(name in vars(each) for each in own)

    def may_set(self, thing, name):
        """Whether the code may set an attribute: any, but for methods."""
        owner = thing if isinstance(thing, type) else type(thing)
        return type(name) is str and name[:1] != '_' and not is_autospec(thing) and not callable(getattr(owner, name, None))


def parameters(function):
    """What the code may see of a function's parameters; None of what is no function of Python."""
    if type(function) is not types.FunctionType:
        return None
    code = function.__code__
    has_rest, has_named_rest = bool(code.co_flags & VARARGS), bool(code.co_flags & VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount + has_rest + has_named_rest
    return {
        'names': list(code.co_varnames[:count]), 'count': code.co_argcount, 'only by position': code.co_posonlyargcount,
        'only by name': code.co_kwonlyargcount, 'has rest': has_rest, 'has named rest': has_named_rest,
        'optional': len(function.__defaults__ or ()), 'optional by name': list(function.__kwdefaults__ or ()),
        'doc': function.__doc__,
    }
