"""
Values as JSON. None, booleans, strings, finite floats and small integers stand for themselves; all others are lists that begin
with a tag. Mutable containers are numbered in the order in which they appear, and a second appearance is the number. What has
no plain value passes as a reference: the two processes give their own meaning to it.
"""
import collections
import gc
import operator
import struct
import sys

set_depth = sys.setrecursionlimit
SMALL = 1 << 53
SCALARS = {type(None), bool, int, float, str}
SCALARS_AND_BYTES = {*SCALARS, complex, bytes}
# Of an answer that a later question can refer to.
MAX_REFERRED_BYTES = 4096
TIMES = {'date': 'year month day', 'time': 'hour minute second microsecond', 'timedelta': 'days seconds microseconds',
         'datetime': 'year month day hour minute second microsecond'}
# Flags of a function's code: it takes any number of arguments, by position and by name.
VARARGS, VARKEYWORDS = 4, 8
# The flag of classes that are not defined by programs.
IMMUTABLE, FLAGS = 1 << 8, vars(type)['__flags__'].__get__
VIEWS = {type({}.keys()): 'keys', type({}.values()): 'values', type({}.items()): 'items'}
# Built-in types → what makes a plain value of an instance of a derived class, without its own methods.
PLAIN = {
    int: int.__int__, float: float.__float__, complex: complex.__complex__, str: str.__str__, bytes: bytes.__bytes__,
    bytearray: bytearray.copy, list: lambda it: [*list.__iter__(it)], tuple: lambda it: (*tuple.__iter__(it),), dict: dict.copy,
    set: lambda it: {*set.__iter__(it)}, frozenset: lambda it: frozenset(frozenset.__iter__(it)),
    collections.deque: lambda it: collections.deque(collections.deque.__iter__(it)),
}
FIXED = int, float, complex, str, bytes, tuple, frozenset
# Attributes that some built-in exceptions have besides their arguments.
ERROR_TEXTS = 'name', 'path', 'filename', 'filename2'
# Among the methods of a class: it has special ones that are None.
REFUSES = '__refuses__'
# Methods that change an object, and tell nothing that the judge could compute.
CHANGING_METHODS = set('''
    append appendleft extend extendleft insert remove pop popleft popitem clear sort reverse rotate update setdefault add discard
    intersection_update difference_update symmetric_difference_update
'''.split())


class Deep:
    """Room for values that are nested deeper than calls may be."""

    def __enter__(self):
        self.limit = sys.getrecursionlimit()
        set_depth(self.limit + 20_000)

    def __exit__(self, *_):
        set_depth(self.limit)


class Silence:
    """While a message is written or read, nothing may be asked."""
    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1


def module(name):
    """A module of plain types, only if the program has imported it: no value of another one can exist."""
    return sys.modules.get(name)


def home_of(kind):
    """The module of a class; None for a class of a program that is not where it says."""
    name, found = kind.__module__, None
    if is_native(kind):
        return name
    if type(name) is str:
        found = module(name)
        for part in kind.__qualname__.split('.'):
            # A module of the script's asks the code for names that it does not have.
            found = getattr(found, '__dict__', {}).get(part)
    return name if found is kind else None


def is_native(kind):
    """Whether a class is one of the interpreter or of an extension, and none that a program defines."""
    return bool(FLAGS(kind) & IMMUTABLE)


def settings():
    """Settings of this process that change what functions of Python return, as texts by their names."""
    decimal, numpy = module('decimal'), module('numpy')
    found = {'the limit of digits': str(sys.get_int_max_str_digits())}
    if decimal is not None:
        context = decimal.getcontext()
        found['the precision of decimal'] = f'{context.prec} {context.rounding} {context.Emin} {context.Emax} {context.clamp}'
    if numpy is not None:
        found['the print options of numpy'] = str(sorted(numpy.get_printoptions().items()))
    return found


class NotReferable(Exception):
    """A question refers to an earlier answer that has to be passed in full."""


def referable(answer):
    """An answer, if later questions can refer to it; else an ellipsis, so that nothing lives longer than without questions."""
    return answer if type(answer) in SCALARS and sys.getsizeof(answer) <= MAX_REFERRED_BYTES else ...


def is_fixed(value):
    """Whether a value holds nothing that can change."""
    return type(value) in SCALARS_AND_BYTES or type(value) is tuple and all(map(is_fixed, value))


def float_bits(number):
    return struct.pack('>d', number).hex()


def shallow(container):
    """What a container holds, in a list."""
    if isinstance(container, dict):
        return [part for pair in container.items() for part in pair]
    if type(container).__module__ in ('numpy', 'array'):
        return [container.tobytes()]
    return list(container)


def differ(now, before):
    """Whether the content of a container is another one."""
    if len(now) != len(before):
        return True
    # Fast, because this is asked for each container at each question.
    return any(map(operator.is_not, now, before)) and any(
        one is not other and (type(one) is not bytes or one != other) for one, other in zip(now, before))


def has_changed(container, before):
    """Whether a container holds something else than before. A list is compared without a copy."""
    return differ(container if type(container) is list else shallow(container), before)


class Content:
    """What some containers held at first, to tell later which of them have changed."""

    def __init__(self, containers):
        self.containers = list(containers)
        self.before = [shallow(each) for each in containers]

    def settle(self):
        self.before = [shallow(each) for each in self.containers]

    def changed(self, writer):
        """The numbers of those that have, with what they hold now."""
        changed = []
        for number, (container, before) in enumerate(zip(self.containers, self.before)):
            now = shallow(container)
            if differ(now, before):
                changed.append([number, writer.each(now)])
        return changed


class Writer:
    """Encodes the values of one message."""

    def __init__(self, reference, containers=()):
        self.reference = reference
        self.containers = list(containers)
        self.numbers = {id(each): number for number, each in enumerate(self.containers)}
        # Classes that this message describes, and whether it has no reference.
        self.described, self.is_plain = set(), True

    def write(self, value):
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -SMALL < value < SMALL else ['int', hex(value)]
        if kind is float:
            return value if value - value == 0 else ['float', float_bits(value)]
        # Another metaclass could say that its class is a built-in one.
        write = WRITERS.get(kind) if type(kind) is type else None
        if write is not None:
            return write(self, value)
        return self.of_module(value, kind)

    def each(self, values):
        return [self.write(value) for value in values]

    def container(self, value, tag, content):
        number = self.numbers.get(id(value))
        if number is not None:
            return ['seen', number]
        self.numbers[id(value)] = len(self.containers)
        self.containers.append(value)
        return [*tag, *self.each(content)]

    def of_module(self, value, kind):
        name, numpy = home_of(kind), module('numpy')
        # A class of the code can stand in place of one of the library's.
        if name == 'decimal' and kind.__name__ == 'Decimal' and is_native(kind):
            return ['decimal', str(value)]
        if name == 'uuid' and kind.__name__ == 'UUID':
            return ['uuid', value.hex]
        if name == 'fractions' and kind.__name__ == 'Fraction':
            # Its parts can be numbers of numpy.
            return ['fraction', *(self.write(operator.index(part)) for part in (value.numerator, value.denominator))]
        if name == 'datetime' and kind.__name__ in TIMES and is_native(kind):
            parts = [getattr(value, part) for part in TIMES[kind.__name__].split()]
            zone = value.utcoffset() if getattr(value, 'tzinfo', None) is not None else None
            return ['time', kind.__name__, parts, self.write(zone), getattr(value, 'fold', 0)]
        if name == 'array' and kind.__name__ == 'array':
            return self.container(value, ['array', value.typecode], [value.tobytes()])
        if numpy is not None and kind is numpy.ndarray and is_native(kind) and value.dtype.kind in 'biufcSU':
            return self.container(value, ['numpy', value.dtype.str, list(value.shape)], [value.tobytes()])
        if numpy is not None and issubclass(kind, numpy.generic) and is_native(kind) and value.dtype.kind in 'biufcSU':
            # numpy drops NULs at the end of a text when it reads one from bytes.
            base = {'S': bytes, 'U': str}.get(value.dtype.kind)
            return ['numpy', value.dtype.str, None, self.write(value.tobytes() if base is None else PLAIN[base](value))]
        self.is_plain = False
        return self.reference(self, value)


def viewed(view):
    """The dictionary of a view; a copy of one of another class."""
    found = gc.get_referents(view)[0]
    return found if type(found) in WRITERS else dict.copy(found)


WRITERS = {
    list: lambda to, value: to.container(value, ['list'], value),
    dict: lambda to, value: to.container(value, ['dict'], shallow(value)),
    set: lambda to, value: to.container(value, ['set'], value),
    bytearray: lambda to, value: to.container(value, ['bytearray'], value),
    collections.deque: lambda to, value: to.container(value, ['deque', value.maxlen], value),
    collections.OrderedDict: lambda to, value: to.container(value, ['OrderedDict'], shallow(value)),
    collections.Counter: lambda to, value: to.container(value, ['Counter'], shallow(value)),
    collections.defaultdict: lambda to, value: to.container(
        value, ['defaultdict', to.write(value.default_factory)], shallow(value)),
    tuple: lambda to, value: ['tuple', *to.each(value)],
    frozenset: lambda to, value: ['frozenset', *to.each(value)],
    bytes: lambda to, value: ['bytes', value.hex()],
    memoryview: lambda to, value: ['memoryview', value.tobytes().hex()],
    complex: lambda to, value: ['complex', float_bits(value.real), float_bits(value.imag)],
    range: lambda to, value: ['range', *to.each((value.start, value.stop, value.step))],
    slice: lambda to, value: ['slice', *to.each((value.start, value.stop, value.step))],
    type(...): lambda to, value: ['ellipsis'],
    type(NotImplemented): lambda to, value: ['notimplemented'],
    **{kind: lambda to, value, name=name: ['view', name, to.write(viewed(value))] for kind, name in VIEWS.items()},
}


# In place of the number of an object: a container that is not shared, and that the script may have kept.
HELD = -1


class Shared:
    """
    Containers that both processes have: those behind names and attributes for good, and the latest ones that were passed to
    functions and returned by them, which may have kept them. Both processes decide alike.
    """

    def __init__(self, forget=lambda container: None):
        self.forget = forget
        self.containers, self.content = [], Content(())
        # Ids of all, and of those for good.
        self.known, self.lasting = set(), set()

    def keep(self, question, containers):
        """Adds those of a question and its answer."""
        added = [each for each in containers if id(each) not in self.known]
        if not added:
            return
        if question in LASTING:
            self.lasting.update(map(id, added))
        room, kept = SHARED_ITEMS, []
        for each in reversed(self.containers + added):
            if id(each) not in self.lasting:
                room -= room_of(each)
                if room < 0:
                    self.forget(each)
                    continue
            kept.append(each)
        self.containers, self.known = kept[::-1], set(map(id, kept))

    def changed(self, writer):
        return self.content.changed(writer)

    def settle(self):
        self.content = Content(self.containers)

    def seen(self, containers):
        """Those of a question that callbacks see as they are by then: all of them, or only the shared ones if they are large."""
        return containers if sum(map(room_of, containers[len(self.containers):])) <= SEEN_ITEMS else self.containers


def room_of(container):
    return 4 + (container.size if type(container).__module__ == 'numpy' else len(container))


# Answers to these questions belong to things that live on.
LASTING = 'name', 'get', 'item'
# Items of all other containers that both processes have, with 4 for each container.
SHARED_ITEMS = 200
# The same for those of one question that its callbacks see.
SEEN_ITEMS = 1000


class Unreadable(Exception):
    """A value that no writer makes."""


def numbered(things, number):
    """The thing that a message names by its place in a list, where negative places are none."""
    if type(number) is not int or not 0 <= number < len(things):
        raise Unreadable
    return things[number]


class Reader:
    """Decodes the values of one message. It executes nothing that the message names."""

    def __init__(self, reference, containers=(), check_keys=lambda keys: None):
        self.reference, self.check_keys = reference, check_keys
        self.containers = list(containers)
        # Whether the message has no reference.
        self.is_plain = True

    def read(self, data):
        if type(data) is not list:
            if type(data) is dict:
                raise Unreadable
            return data
        try:
            read = READERS.get(data[0])
            if read is not None:
                return read(self, *data[1:])
            self.is_plain = False
            return self.reference(self, data)
        except (TypeError, ValueError, IndexError, AttributeError, OverflowError, ArithmeticError, KeyError):
            raise Unreadable from None

    def each(self, items):
        return [self.read(item) for item in items]

    def container(self, made, items):
        self.containers.append(made)
        self.fill(made, self.each(items))
        return made

    def frozen(self, items):
        made = frozenset(items)
        self.check(made, items)
        return made

    def check(self, container, keys):
        """Looks at keys that may be equal here: those that are not plain, and those of a container with fewer keys than it was given."""
        if not self.is_plain or len(container) < len(keys):
            self.check_keys(keys)

    def factory(self, data):
        made = self.read(data)
        return made if callable(made) else None

    def change(self, changed):
        """Gives containers that both sides have what they hold now."""
        for number, items in changed:
            self.fill(numbered(self.containers, number), self.each(items))

    def fill(self, container, items):
        """Replaces the content of a container."""
        if isinstance(container, dict):
            container.clear()
            for key, value in zip(items[::2], items[1::2]):
                container[key] = value
            self.check(container, items[::2])
        elif isinstance(container, set):
            container.clear()
            container.update(items)
            self.check(container, items)
        elif isinstance(container, collections.deque):
            container.clear()
            container.extend(items)
        elif type(container).__module__ == 'numpy':
            container[...] = module('numpy').frombuffer(items[0], container.dtype).reshape(container.shape)
        elif type(container).__module__ == 'array':
            del container[:]
            container.frombytes(items[0])
        else:
            container[:] = items


def read_time(self, name, parts, zone, fold):
    import datetime
    offset = self.read(zone)
    if name not in TIMES or any(type(part) is not int for part in parts):
        raise Unreadable
    more = {} if name in ('date', 'timedelta') else {'fold': fold}
    if offset is not None:
        more['tzinfo'] = datetime.timezone(offset)
    return getattr(datetime, name)(*parts, **more)


def read_view(self, name, content):
    return getattr(dict, name if name in VIEWS.values() else '')(self.read(content))


def read_numpy(self, kind, shape, data):
    import numpy
    found = numpy.dtype(kind)
    if found.kind not in 'biufcSU':
        raise Unreadable
    content = self.read(data)
    if shape is None and found.kind in 'SU':
        make, base = (numpy.bytes_, bytes) if found.kind == 'S' else (numpy.str_, str)
        if type(content) is not base:
            raise Unreadable
        return make(content)
    array = numpy.frombuffer(content, found)
    if shape is None:
        return array[0]
    self.containers.append(array.reshape(shape).copy())
    return self.containers[-1]


def read_array(self, kind, *items):
    import array
    return self.container(array.array(kind), items)


def read_decimal(self, text):
    import decimal
    return decimal.Decimal(text)


def read_uuid(self, text):
    import uuid
    return uuid.UUID(text)


def read_fraction(self, numerator, denominator):
    import fractions
    parts = self.read(numerator), self.read(denominator)
    if [*map(type, parts)] != [int, int]:
        raise Unreadable
    made = fractions.Fraction(*parts)
    # The class reduces fractions. One that the code has changed since is equal to no number.
    if (made.numerator, made.denominator) != parts:
        raise Unreadable
    return made


def unpack_float(bits):
    return struct.unpack('>d', bytes.fromhex(bits))[0]


READERS = {
    'int': lambda to, text: int(text, 16),
    'float': lambda to, bits: unpack_float(bits),
    'complex': lambda to, real, imag: complex(unpack_float(real), unpack_float(imag)),
    'seen': lambda to, number: numbered(to.containers, number),
    'list': lambda to, *items: to.container([], items),
    'dict': lambda to, *items: to.container({}, items),
    'set': lambda to, *items: to.container(set(), items),
    'bytearray': lambda to, *items: to.container(bytearray(), items),
    'deque': lambda to, longest, *items: to.container(collections.deque(maxlen=longest), items),
    'OrderedDict': lambda to, *items: to.container(collections.OrderedDict(), items),
    'Counter': lambda to, *items: to.container(collections.Counter(), items),
    'defaultdict': lambda to, make, *items: to.container(collections.defaultdict(to.factory(make)), items),
    'tuple': lambda to, *items: tuple(to.each(items)),
    'frozenset': lambda to, *items: to.frozen(to.each(items)),
    'bytes': lambda to, text: bytes.fromhex(text),
    'memoryview': lambda to, text: memoryview(bytes.fromhex(text)),
    'range': lambda to, *items: range(*to.each(items)),
    'slice': lambda to, *items: slice(*to.each(items)),
    'ellipsis': lambda to: ...,
    'notimplemented': lambda to: NotImplemented,
    'decimal': read_decimal,
    'fraction': read_fraction,
    'uuid': read_uuid,
    'time': read_time,
    'array': read_array,
    'numpy': read_numpy,
    'view': read_view,
}
