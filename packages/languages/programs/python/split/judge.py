"""Asks the code's process, and answers what the code asks in turn."""
import functools
import io
import random
import sys
import types
from _thread import RLock

FUNCTIONS = types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.MethodDescriptorType, functools.partial
LENDABLE = io.StringIO, io.BytesIO, random.Random
SCALARS = {type(None), bool, int, float, str}
LENT_METHODS = {f'__{name}__' for name in '''
    lt le gt ge eq hash add radd iadd sub rsub isub mul rmul imul truediv rtruediv floordiv rfloordiv mod rmod pow matmul neg pos abs
    invert and or xor lshift rshift len iter next reversed getitem setitem delitem contains bool int float index round str repr format
    call enter exit
'''.split()}
CALLS = set('call_args call_args_list call_count called mock_calls method_calls side_effect'.split())
MOCKED = [f'__{name}__' for name in 'call contains delitem enter exit getitem iter len setitem'.split()]
# By these methods of built-in types an object would judge itself.
QUERIES = {'startswith', 'endswith', 'issubset', 'issuperset', 'isdisjoint'}
# These answer with what the script passes; in other classes they have other meanings.
PLAIN_QUERIES = set('union intersection difference symmetric_difference count index find rfind get replace'.split())
# These could answer with what the script passes, if that is a collection.
SET_METHODS = set('union intersection difference symmetric_difference'.split())
# Questions whose answers can be compared with what the script makes afterwards, and tell nothing else.
OPERATORS = set('''
    add sub mul truediv floordiv mod divmod pow matmul and_ or_ xor lshift rshift
    iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift
'''.split())
# Questions that change nothing.
LOOKS = set('get item len str repr bool int float complex index format contains lt le gt ge hash instance subclass name'.split())
# Those that also change nothing that the script holds; an attribute can be computed when it is read.
SILENT = LOOKS - {'get', 'item', 'name'} | {'eq', 'ne', 'plain'}
# What code raises by these would end a loop or a task of the script, and not be noticed.
ENDS_OF_LOOPS = 'StopIteration', 'StopAsyncIteration', 'CancelledError'
# With these in place of an exception of the code, the script would catch its own assertions.
CATCHERS = AssertionError, Exception, BaseException
# Items of containers that are no longer shared, and that the judge watches.
WATCHED_ITEMS = 100_000


# Bases that add nothing to the instances.
ABSTRACT = {'abc.ABC', 'typing.Generic', 'typing.Protocol', 'enum.Enum'}


def is_own(kind):
    """Whether the script alone defines a class, so that no library relies on its instances."""
    return all(each.__module__ in ('__main__', 'builtins') or f'{each.__module__}.{each.__name__}' in ABSTRACT
               for each in kind.__mro__)


def is_mock(kind):
    return kind.__module__ == 'unittest.mock'


def own_methods(kind):
    """The special methods that the script defines for a class, and that code may call."""
    if kind in (io.StringIO, io.BytesIO):
        return ['__iter__', '__next__']
    if is_mock(kind):
        return [name for name in MOCKED if hasattr(kind, name)]
    found = {name for each in kind.__mro__ if each.__module__ == '__main__' for name in vars(each)}
    return sorted(found & LENT_METHODS)


class Judge(Meanings):
    """Asks the code's process, and gives its answers a meaning. No answer is executed."""

    def __init__(self, channel):
        self.channel = channel
        self.lent, self.lent_numbers = [], {}
        super().__init__()
        self.shared, self.seen = Shared(self.forget), {}
        # Containers that are no longer shared, with what they held then.
        self.forgotten, self.watched = [], 0
        # Objects that the script made of plain values, and that nothing has used since.
        self.unused, self.maker = set(), None
        # Whether the question combines values, and calls of functions that are to be compared with those of the code.
        self.combines, self.calls, self.failed_test = False, [], None
        # Threads of the script ask one after the other; an answer can need a callback.
        self.turn = RLock()
        # Number of questions.
        self.asked = 0
        # Why a success shows nothing; whether only the code could tell; why a failure may not be the code's.
        self.doubt, self.is_undecided, self.excuse = None, False, None
        self.is_lost = False
        # An assertion of the script that failed in a call from the code.
        self.failed = None

    def ask(self, name, *args, **kwargs):
        with self.turn:
            self.combines = name in OPERATORS or name in ('eq', 'ne')
            if name not in LOOKS:
                self.seen.clear()
            value = self.exchange(name, args, kwargs)
            self.compare(name, args, value)
            return value

    def compare(self, name, args, value):
        """Notices an answer that changes although nothing has happened: each comparison would see another value."""
        if name not in LOOKS or type(value) not in SCALARS or any(type(each) not in SCALARS for each in args[1:]):
            return
        look = name, args[0] if name == 'name' else args[0]._isopod_number, repr(args[1:])
        if self.seen.setdefault(look, repr(value)) != repr(value):
            unverified(self, f'an answer to {name} changed although nothing happened')

    def exchange(self, name, args, kwargs):
        if self.is_lost:
            raise Ended
        writer = Writer(self.refer, self.shared.containers)
        with Deep():
            values = writer.each(args), {key: writer.write(value) for key, value in kwargs.items()}
            message = [name, *values, self.shared.changed(writer)]
        if message[-1]:
            self.seen.clear()
        self.is_lost = True
        self.asked += 1
        try:
            self.channel.send(message)
            reply = self.channel.receive()
            while reply[0] == 'ask':
                # The script may ask in turn.
                self.is_lost = False
                self.seen.clear()
                number, operation, args, output, fields = reply[1:]
                self.change_fields(fields)
                if output:
                    sys.stdout.write(text(output))
                answer = self.answer(number, operation, args)
                self.is_lost = True
                self.channel.send(answer)
                reply = self.channel.receive()
            is_value, value, output, changed, fields = reply
            with Deep():
                reader = Reader(self.meaning, writer.containers)
                value = reader.read(value)
                reader.change(changed)
                self.change_fields(fields)
            if changed and name in SILENT:
                self.doubt = self.doubt or f'{name} changes what the script holds'
            self.remember(reader.containers)
            self.shared.keep(name, reader.containers)
            self.shared.settle()
            output = text(output)
        except TooLarge:
            self.doubt = self.doubt or 'a value is larger than the judge takes'
            raise
        except (Unreadable, ValueError, TypeError, IndexError, KeyError, ArithmeticError, RecursionError):
            raise Ended from None
        self.is_lost = False
        if output:
            sys.stdout.write(output)
        if is_value == 'ok':
            if any(each is kind for each in (value if type(value) is tuple else [value]) for kind in CATCHERS):
                self.doubt = self.doubt or 'an exception of the code is one that would catch assertions'
            return value
        if not isinstance(value, BaseException):
            raise Ended
        if any(each.__name__ in ENDS_OF_LOOPS for each in type(value).__mro__):
            self.doubt = self.doubt or f'{type(value).__name__} was raised outside of an iterator'
        raise value

    def call(self, thing, *args, **kwargs):
        """Calls something in the code's process."""
        has_members = thing._isopod_kind == 'class' and thing._isopod_fields
        if has_members and len(args) == 1 and not kwargs and type(args[0]) in SCALARS:
            for each in thing._isopod_fields.values():
                value = self.member_values.get(id(each))
                if value is not None and type(value) is type(args[0]) and value == args[0]:
                    return each
        number, maker = self.asked + 1, self.maker
        self.maker = thing._isopod_number
        try:
            made = self.ask('call', thing, *args, **kwargs)
        finally:
            self.maker = maker
        if thing._isopod_kind != 'class':
            return made
        known = about(made)
        if known is None or known._isopod_kind != thing._isopod_number:
            self.check_other(thing, made, args, kwargs)
            return made
        if has_members and len(args) == 1 and type(args[0]) in SCALARS:
            unverified(self, f'only the code could tell which member of {thing._isopod_name} that is')
        is_plain = all(type(each) in SCALARS for each in (*args, *kwargs.values()))
        given = (args, tuple(kwargs.items())) if is_plain else None
        is_known = not has_members and self.first_seen[made._isopod_number] < number
        if is_known and (given is None or self.made_of.get(made._isopod_number) != given):
            unverified(self, f'{thing._isopod_name} gives an object that it made of something else')
        self.made_of[made._isopod_number] = given
        if is_plain and not is_known:
            self.unused.add(made._isopod_number)
        object.__setattr__(made, '_isopod_is_made', True)
        # The code knew what this one is made of when it was asked.
        object.__setattr__(made, '_isopod_told', number)
        object.__setattr__(made, '_isopod_is_proven', shows(made._isopod_fields, self.parameters[thing._isopod_number], args, kwargs))
        return made

    def check_other(self, thing, made, args, kwargs):
        """Leaves unverified what a constructor makes that is no object of its class, and so is compared by other rules."""
        if type(made) is self.tuples.get(thing._isopod_number):
            given = {**dict(zip(type(made)._fields, args)), **kwargs}
            self.unused.add(made._remote._isopod_number)
            if all(is_same(getattr(made, name, None), value) for name, value in given.items()):
                return
        elif library_type(self.kinds[thing._isopod_number].__module__, thing._isopod_name) is not None:
            return
        self.doubt = self.doubt or f'{thing._isopod_name} makes something else'

    def check_echo(self, made, question):
        """Code could give what it last gave, as what the script expects."""
        if self.first_seen[made._isopod_number] < question:
            self.doubt = self.doubt or f'{made._isopod_name} was given before'

    def forget(self, container):
        """Takes note of a container that is no longer shared."""
        content = shallow(container)
        if self.watched + len(content) < WATCHED_ITEMS:
            self.watched += len(content)
            self.forgotten.append((container, content))

    def remember(self, containers):
        """Takes note of what containers hold that both processes have just seen, whether they are shared further or not."""
        if self.forgotten:
            seen = set(map(id, containers))
            self.forgotten = [(each, shallow(each) if id(each) in seen else before) for each, before in self.forgotten]

    def check_forgotten(self):
        """The code would not know what the script changed in a container that is no longer shared."""
        if any(differ(shallow(each), before) for each, before in self.forgotten):
            self.doubt = self.excuse = 'the script changes a container that is too large to be shared'

    def note_call(self, name, own, args, kwargs):
        """Calls a built-in function, and notes the call for a comparison with the code's function of that name."""
        writer = Writer(refuse)
        try:
            given = writer.each([args, kwargs])
            result = own(*args, **kwargs)
            self.calls.append((name, given, writer.write(result)))
        except (Unreadable, RecursionError):
            unverified(self, f'{name} can be the code\'s or Python\'s')
        return result

    def check_calls(self):
        """Compares calls once the script has ended: the code must not see what the script judges with."""
        for name, given, result in self.calls[:MOST_CALLS]:
            reader = Reader(refuse)
            args, kwargs = reader.each(given)
            expected = reader.read(result)
            try:
                is_equal = self.ask('name', name)(*args, **kwargs) == expected
            except Exception:
                is_equal = False
            if not is_equal or len(self.calls) > MOST_CALLS:
                unverified(self, f'{name} can be the code\'s or Python\'s')

    def get(self, thing, name):
        """An attribute of something in the code's process."""
        if name in QUERIES and thing._isopod_rule != 'plain':
            unverified(self, f'only the code could tell what {name} of {thing._isopod_name} says')
        if thing._isopod_rule == 'plain' and (name in QUERIES or name in PLAIN_QUERIES):
            return self.of_plain(thing, name)
        if thing._isopod_kind == 'class' and thing._isopod_fields and name in thing._isopod_fields:
            return thing._isopod_fields[name]
        if thing._isopod_rule == 'member' and name == 'value' and id(thing) in self.member_values:
            return self.member_values[id(thing)]
        number = self.asked + 1
        found = self.ask('get', thing, name)
        known = about(found)
        if name in SET_METHODS and thing._isopod_rule != 'plain':
            return self.of_code(thing, found)
        if thing._isopod_kind == 'class' and known is found and type(known._isopod_kind) is int and known._isopod_rule != 'member':
            attribute, is_first = (thing._isopod_number, name), (thing._isopod_number, name) not in self.attributes
            is_stable = self.attributes.setdefault(attribute, known._isopod_number) == known._isopod_number
            if not is_stable or is_first:
                self.check_echo(found, number)
        is_member = known is not None and known._isopod_rule == 'member' and thing._isopod_number == known._isopod_kind
        if is_member and known._isopod_fields != {'name': name}:
            unverified(self, f'{known._isopod_name} has no member {name}')
        return found

    def of_plain(self, thing, name):
        """A method of a built-in type, of what an object holds; if the code answers otherwise, only it could tell."""
        method = getattr(self.ask('plain', thing), name)
        if name in QUERIES:
            return method

        def both(*args, **kwargs):
            own, told = method(*args, **kwargs), self.ask('get', thing, name)(*args, **kwargs)
            if type(own) is not type(told) or own != told:
                unverified(self, f'code of {thing._isopod_name} has a {name} of its own')
            return own
        return both

    def of_code(self, thing, method):
        """A method that is no question about a collection of the script."""
        def call(*args, **kwargs):
            if any(type(each) in (set, frozenset, list, tuple, dict) for each in args):
                unverified(self, f'code of {thing._isopod_name} combines it with what may be expected')
            return method(*args, **kwargs)
        return call

    def item(self, thing, key):
        """An item of something in the code's process."""
        if thing._isopod_kind == 'class' and thing._isopod_fields and type(key) is str and key in thing._isopod_fields:
            return thing._isopod_fields[key]
        return self.ask('item', thing, key)

    def answer(self, number, operation, args):
        """Answers the code, which may use what the script passed to it."""
        reader = Reader(self.meaning, self.shared.containers)
        try:
            thing = self.lent[number]
            args = reader.each(args)
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
            elif operation == 'set' and is_own(type(thing)) and self.may_set(thing, args[0]):
                result = setattr(thing, args[0], args[1])
            elif operation == 'instance' and isinstance(thing, type):
                result = isinstance(args[0], thing)
            else:
                if type(args[0]) is str and hasattr(thing, args[0]):
                    self.excuse = self.excuse or f'the code uses {args[0]} of an object of the script'
                raise AttributeError(f'{type(thing).__name__!r} object has no attribute {args[:1]}')
            writer = Writer(self.refer, reader.containers)
            return ['answer', True, writer.write(result), content.changed(writer)]
        except (Ended, Unverified):
            raise
        except AssertionError as error:
            # The code must neither see nor catch it: that would tell what the script expects.
            self.failed, self.is_lost = error, True
            raise Ended from None
        except BaseException as error:
            return ['answer', False, self.refer_error(Writer(self.refer), error), []]

    def is_shown(self, thing, name):
        """Whether the code may see an attribute: one that the script itself defines or sets."""
        if type(name) is not str or name[:1] == '_':
            return False
        if type(thing) in LENDABLE or hasattr(type(thing), '__members__') and name in ('name', 'value'):
            return True
        if is_mock(type(thing)):
            # What the script configures, and nothing by which it judges.
            return name == 'return_value' or name[:6] != 'assert' and not hasattr(sys.modules['unittest.mock'].AsyncMock, name) \
                and name not in CALLS
        own = [each for each in type(thing).__mro__ if each.__module__ == '__main__']
        return name in getattr(thing, '__dict__', ()) or any(name in vars(each) for each in own)

    def may_set(self, thing, name):
        """Whether the code may set an attribute: any, but for methods."""
        return type(name) is str and name[:1] != '_' and not callable(getattr(type(thing), name, None))

    def refer(self, writer, thing):
        """A reference for the code's process."""
        kind, known = type(thing), about(thing)
        if known is not None:
            if known._isopod_is_combined and not self.combines:
                unverified(self, f'only the code could tell what {known._isopod_name} is, combined with what may be expected')
            self.unused.discard(known._isopod_number)
            return ['object', known._isopod_number]
        if kind is RemoteIterator:
            return ['object', thing._remote._isopod_number]
        if kind in (types.BuiltinFunctionType, type) and thing.__module__ and thing.__module__ != '__main__':
            return ['named', thing.__module__, thing.__qualname__]
        if isinstance(thing, BaseException):
            return self.refer_error(writer, thing)
        if kind in self.tuples.values():
            if '_remote' not in vars(thing):
                return ['tuple', *writer.each(thing)]
            self.unused.discard(thing._remote._isopod_number)
            return ['object', thing._remote._isopod_number]
        for base in (bool, int, float, complex, str, bytes):
            if isinstance(thing, base):
                return writer.write(base(thing))
        if isinstance(thing, tuple) and hasattr(kind, '_fields') and kind.__eq__ is tuple.__eq__:
            return ['named tuple', self.lend(kind), kind.__name__, list(kind._fields), writer.each(thing)]
        is_class = isinstance(thing, type) and not issubclass(thing, BaseException)
        if isinstance(thing, FUNCTIONS) or is_class or kind.__module__ == '__main__' and callable(thing):
            return ['callback', self.lend(thing), getattr(thing, '__name__', kind.__name__), parameters(thing)]
        if kind in LENDABLE or is_mock(kind) or kind.__module__ == '__main__' and is_own(kind):
            return ['lent', self.lend(thing), own_methods(kind)]
        if hasattr(kind, '__next__'):
            return ['iterator', self.lend(thing)]
        unverified(self, f'an argument of type {kind.__name__} has no plain value')

    def refer_error(self, writer, error):
        if '_remote' in vars(error):
            return ['object', error._remote._isopod_number]
        name = next(each.__name__ for each in type(error).__mro__ if each.__module__ == 'builtins')
        args = writer.each(error.args) if type(error).__module__ == 'builtins' else [str(error)]
        return ['exception', name, args, self.lend(error)]

    def lend(self, thing):
        number = self.lent_numbers.setdefault(id(thing), len(self.lent))
        if number == len(self.lent):
            self.lent.append(thing)
        return number

    def is_instance(self, thing, kind):
        if about(thing) is not None:
            return self.ask('instance', about(thing), kind) is True
        return type(thing) is self.tuples.get(kind._isopod_number)

    def equal(self, one, other):
        if about(other) is None:
            if one._isopod_is_combined:
                unverified(self, f'code of {one._isopod_name} combined it with a plain value')
            if one._isopod_rule == 'plain':
                return self.ask('plain', one) == other
            if one._isopod_rule == 'own':
                unverified(self, f'code of {one._isopod_name} compares it with a plain value')
            has_value = one._isopod_rule == 'member' and not isinstance(one.__class__, OfCode)
            return has_value and self.member_values.get(id(one)) == other
        if one is other:
            return True
        if isinstance(other, OfCode):
            return False
        if one._isopod_rule == 'plain' == other._isopod_rule:
            if self.ask('plain', one) != self.ask('plain', other):
                return False
            unverified(self, f'only the code could tell whether two of {one._isopod_name} are equal')
        if one._isopod_kind != other._isopod_kind or one._isopod_rule == 'member':
            return False
        are_others = one._isopod_rule == 'identity' and one._isopod_number != other._isopod_number
        if are_others or one._isopod_fields != other._isopod_fields:
            if one._isopod_rule == 'own' and self.ask('eq', one, other) is not False:
                unverified(self, f'code of {one._isopod_name} compares two of them')
            return False
        # One of them must be what the script made, and the code must have told the other one before it knew that.
        first, last = sorted((one, other), key=lambda each: each._isopod_told)
        if not (last._isopod_is_proven and (first._isopod_is_proven or first._isopod_told < last._isopod_told)):
            unverified(self, f'only the code could tell whether two of {one._isopod_name} are equal')
        return one._isopod_rule != 'own' or self.ask('eq', one, other) is True

    def unequal(self, one, other):
        """Whether two are unequal for a class with a method for that."""
        seen = not self.equal(one, other)
        if (self.ask('ne', one, other) is True) != seen:
            unverified(self, f'only the code could tell whether two of {one._isopod_name} are unequal')
        return seen


def shows(fields, parameters, args, kwargs):
    """Whether the fields of an object are what its constructor was given, by the names of its parameters, and nothing else."""
    if not fields or parameters is None:
        return False
    names, rest, defaults = parameters
    if len(set(names)) < len(names):
        return False
    given = dict(zip(names, args))
    if len(args) > len(names):
        if rest is None:
            return False
        given[rest] = args[len(names):]
    given.update(kwargs)
    left = {name.lstrip('_').rpartition('__')[2]: value for name, value in fields.items()}
    for name, value in {**defaults, **given}.items():
        if name.lstrip('_') not in left or not is_same(left.pop(name.lstrip('_')), value):
            return False
    return not any(left.values())


def is_same(one, other):
    """Whether two plain values are the same; a list counts for a tuple."""
    if {type(one), type(other)} == {list, tuple}:
        return [*one] == [*other]
    return type(one) is type(other) and one == other


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
