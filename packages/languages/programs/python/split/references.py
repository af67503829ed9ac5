"""References of the code's process: what has no plain value, with what the judge needs to know of it."""
import collections
import functools
import sys
import types

MAX_MEMBERS = 1000
# Of a container in a field.
MAX_ITEMS = 64
# Objects whose fields the judge is kept informed of.
MAX_TOLD = 256
CODE = 'main'
# Attributes of named tuples.
FIELD = collections._tuplegetter
# Modules whose iterators are nothing else.
ITERATING = {'builtins', 'itertools', 'collections', 'heapq'}


async def nothing():
    pass


FUNCTION, COROUTINE = type(nothing), type(waiting := nothing())
waiting.close()
# Types of values that do not change, and modules that have more of them.
VALUE_TYPES, VALUE_MODULES = {*FIXED}, {'datetime', 'decimal', 'fractions'}
# Where bases are from that hold no value.
NO_VALUES = {None, CODE, 'typing', 'abc', 'collections.abc'}
class References:
    def __init__(self):
        self.objects, self.numbers, self.lent, self.lent_numbers, self.described = [], {}, {}, {}, set()
        # Fields of objects, as the judge was told.
        self.told = {}
        # Exceptions whose causes are being described.
        self.telling = set()
        # Answers to the latest questions.
        self.latest = collections.deque(maxlen=MAX_ANSWERS)
        # The script's types of named tuples.
        self.tuples = {}

    def own(self, reader, data):
        """What a reference of the judge stands for."""
        tag, *rest = data
        if tag == 'object':
            return self.objects[rest[0]]
        if tag == 'named':
            found = __import__(rest[0], fromlist=['*'])
            for name in rest[1].split('.'):
                found = getattr(found, name)
            self.lent_numbers.update((id(found), number) for number in rest[2:])
            return found
        if tag in LENT:
            # One object for one of the judge's.
            made = self.lent.get(rest[0])
            if made is None:
                made = self.lent[rest[0]] = LENT[tag](self, *rest)
                self.lent_numbers[id(made)] = rest[0]
            return made
        if tag == 'named tuple':
            kind, name, fields, items = rest
            if kind not in self.tuples:
                self.tuples[kind] = collections.namedtuple(name, fields, rename=True)
            return self.tuples[kind](*reader.each(items))
        if tag == 'exception':
            kind, args, number = rest
            made = self.lent.get(number)
            if made is None:
                made = self.lent[number] = error_of(self.own(reader, kind), reader.each(args))
                self.lent_numbers[id(made)] = number
            return made
        if tag == 'answer':
            if self.latest[-rest[0]] is ...:
                raise NotReferable
            return self.latest[-rest[0]]
        raise ValueError(tag)

    def number(self, thing):
        found = self.numbers.get(id(thing))
        if found is None:
            # Kept, so that the number stays that of this object.
            self.objects.append(thing)
            found = self.numbers[id(thing)] = len(self.objects) - 1
        return found

    def refer(self, writer, thing):
        kind = type(thing)
        # Read first: isinstance() below can run a __class__ of the code, which could change it.
        equal = kind.__eq__
        if id(thing) in self.lent_numbers:
            return ['lent', self.lent_numbers[id(thing)]]
        if isinstance(thing, type(sys)):
            return ['module', thing.__name__, self.number(thing)]
        if isinstance(thing, type):
            return self.error_class(writer, thing) if issubclass(thing, BaseException) else self.class_(writer, thing)
        if isinstance(thing, BaseException):
            return self.error(writer, thing)
        if hasattr(kind, '__next__') and kind.__module__ in ITERATING and is_native(kind):
            return ['iterator', self.number(thing), kind.__name__]
        if kind is COROUTINE:
            return ['coroutine', self.number(thing)]
        if isinstance(thing, tuple) and hasattr(kind, '_fields') and not own_special(kind, tuple) and has_plain_fields(kind):
            return ['named tuple', self.number(thing), self.number(kind), kind.__name__, list(kind._fields), *writer.each(thing)]
        if is_native(kind) and not hasattr(thing, '__dict__'):
            for base in (int, float, complex, str, bytes):
                if isinstance(thing, base):
                    return writer.write(thing if kind is bool else PLAIN[base](thing))
        if is_enumeration(kind) and has_library_equality(kind):
            return ['object', self.number(thing), self.class_(writer, kind), 'member', {'name': vars(thing).get('_name_')}, None]
        if equal is object.__eq__:
            rule = 'identity'
        elif hasattr(kind, '__dataclass_fields__') and '__eq__' in vars(kind):
            rule = 'fields' if compares_fields(kind) else 'own'
        else:
            rule = 'plain' if any(issubclass(kind, base) and equal is base.__eq__ for base in PLAIN) else 'own'
        number = self.number(thing)
        fields = self.scalars(thing)
        # Of a change the judge hears by changed_fields, for what stood for the object before, too.
        if fields:
            self.told.setdefault(number, (fields, own_values(thing)))
        plain = fixed_value(thing) if rule == 'plain' else []
        told = own_hash(thing, bool(plain))
        return ['object', number, self.class_(writer, kind), rule, fields, writer.write(told), *writer.each(plain)]

    def changed_fields(self):
        """The fields of objects that the judge knows, where they are others than it was told; None for those that are too many."""
        found = [[number, None] for number in list(self.told)[:-MAX_TOLD]]
        for number, _ in found:
            del self.told[number]
        for number, (told, values) in list(self.told.items()):
            thing = self.objects[number]
            if values is not None and not differ(own_values(thing) or (), values):
                continue
            fields = self.scalars(thing)
            self.told[number] = fields, own_values(thing)
            if fields != told:
                found.append([number, fields])
        return found

    def is_new(self, writer, kind):
        """Whether the judge has no description of a class yet. It has one after this message."""
        number = self.number(kind)
        if number in self.described or number in writer.described:
            return False
        writer.described.add(number)
        return True

    def class_(self, writer, kind):
        if not self.is_new(writer, kind):
            return ['class', self.number(kind)]
        origin = origin_of(kind)
        bases = [self.class_(writer, each) for each in kind.__bases__ if each is not object and not issubclass(each, BaseException)]
        members = self.members(writer, kind)
        return ['class', self.number(kind), kind.__qualname__, origin, members, bases, defined(kind), parameters(kind)]

    def members(self, writer, kind):
        """The members of an enumeration with their values, and the plain ones that they are equal to, so that the judge need not ask for them."""
        found = getattr(kind, '__members__', None)
        if not is_enumeration(kind) or type(found) is not types.MappingProxyType or len(found) > MAX_MEMBERS:
            return []
        if any(type.__getattribute__(kind, name) is not each for name, each in found.items()):
            return []
        return [[name, writer.write(each), each.value if type(each.value) in SCALARS else None, *writer.each(filter(is_fixed, fixed_value(each)))]
                for name, each in found.items()]

    def error(self, writer, error):
        number = self.number(error)
        if number in self.telling:
            return None
        # First, because what describes a class comes once, and is read in this order.
        kind = self.error_class(writer, type(error))
        try:
            args = writer.each(error.args or filter(None, [str(error)]))
        except Exception:
            args = [str(error)]
        self.telling.add(number)
        try:
            causes = [each and self.refer(writer, each) for each in (error.__cause__, error.__context__)]
        finally:
            self.telling.discard(number)
        notes = [each for each in getattr(error, '__notes__', ()) if type(each) is str]
        texts = {name: getattr(error, name, None) for name in ERROR_TEXTS}
        texts = {name: value for name, value in texts.items() if type(value) is str}
        return ['raised', kind, args, number, texts, notes, error.__suppress_context__, *causes]

    def error_class(self, writer, kind):
        if home_of(kind) == 'builtins':
            return ['exception class', None, kind.__name__]
        if not self.is_new(writer, kind):
            return ['exception class', self.number(kind)]
        origin = origin_of(kind)
        bases = [self.error_class(writer, each) for each in kind.__bases__ if issubclass(each, BaseException)]
        return ['exception class', self.number(kind), kind.__name__, origin, bases, defined(kind)]

    def scalars(self, thing):
        """The fields of an object that has none but plain ones; the judge compares by them."""
        fields = self.fields(thing)
        if len(fields) > 16:
            return None
        try:
            return {str(name): plain(each) for name, each in fields.items()}
        except (NotPlain, RecursionError):
            return None


def error_of(kind, args):
    """An exception of the judge's script with the text that it has there."""
    try:
        return type.__call__(kind, *args)
    except TypeError:
        # Some built-in ones need all of their arguments.
        return kind.__new__(kind)


def origin_of(kind):
    """The module of a class; the main one for those of the code, and for those that are not where they say."""
    home = home_of(kind)
    return '__main__' if home in (None, CODE) else home


def is_enumeration(kind):
    enum = module('enum')
    return enum is not None and isinstance(kind, enum.EnumType)


class NotPlain(Exception):
    pass


class FieldWriter(Writer):
    def of_module(self, value, kind):
        # Arrays have no equality that is true or false.
        numpy = module('numpy')
        if numpy is not None and issubclass(kind, numpy.ndarray):
            raise NotPlain
        return super().of_module(value, kind)


def own_values(thing):
    """The values of an object's attributes if none of them can change; else None."""
    values = [*getattr(thing, '__dict__', {}).values()]
    is_fixed = not hasattr(type(thing), '__slots__') and all(type(each) in SCALARS for each in values)
    return values if is_fixed else None


def plain(value):
    """A small value as it is written alone."""
    def refuse(writer, value):
        raise NotPlain
    if type(value) in (list, tuple, dict, set, frozenset) and len(value) > MAX_ITEMS:
        raise NotPlain
    return FieldWriter(refuse).write(value)


def has_library_equality(kind):
    """Whether an enumeration leaves equality to Python."""
    owner = next(each for each in kind.__mro__ if '__eq__' in vars(each))
    return home_of(owner) in ('builtins', 'enum')


def has_plain_fields(kind):
    """Whether the attributes of a named tuple are its items."""
    found = [next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None) for name in kind._fields]
    return all(type(each) is FIELD and each.__reduce__()[1][0] == at for at, each in enumerate(found))


@functools.cache
def compares_fields(kind):
    """Whether the method of a dataclass that compares is the one that Python makes for all of its fields."""
    dataclasses = module('dataclasses')
    fields = [each for each in kind.__dataclass_fields__.values() if each._field_type is dataclasses._FIELD]
    own, usual = [getattr(each.__eq__, '__code__', None) for each in (kind, dataclasses.make_dataclass('Usual', [each.name for each in fields]))]
    return own is not None and all(each.compare for each in fields) and all(
        getattr(own, part) == getattr(usual, part) for part in ('co_code', 'co_names', 'co_consts', 'co_argcount'))


def parameters(kind):
    """The parameters of a constructor by position, the one for all further ones, and plain default values; None if it has none."""
    make = kind.__init__
    code = getattr(make, '__code__', None)
    if code is None or code.co_flags & VARKEYWORDS:
        return None
    names, count = code.co_varnames, code.co_argcount
    rest = names[count + code.co_kwonlyargcount] if code.co_flags & VARARGS else None
    optional = make.__defaults__ or ()
    found = {**dict(zip(names[count - len(optional):count], optional)), **(make.__kwdefaults__ or {})}
    defaults = {name: value for name, value in found.items() if type(value) in SCALARS}
    return [list(names[1:count]), rest, defaults]


def own_special(kind, base):
    """Whether a class derived from a built-in one changes what that can do."""
    own = kind.__mro__[:kind.__mro__.index(base)]
    return any(name in SPECIAL and name not in ('__str__', '__repr__') for each in own for name in vars(each))


def fixed_value(thing):
    """A list with the plain value of an object that cannot change it; an empty one for others."""
    return next(([PLAIN[base](thing)] for base in FIXED if isinstance(thing, base)), [])


def own_hash(thing, is_value_told):
    """
    The hash of an object whose class defines one, or a value with the same hash; None for others, and if it fails.

    is_value_told: the judge knows the object's plain value, whose hash it computes.
    """
    is_inherited = not any('__hash__' in vars(each) for each in type(thing).__mro__[:-1])
    if type(thing).__hash__ is None or is_inherited and not is_value_told:
        return None
    for base, make in PLAIN.items():
        if type(thing).__hash__ is base.__hash__ and isinstance(thing, base):
            # That of a text is another one in each process.
            return None if is_value_told else make(thing)
    try:
        return hash(thing)
    except Exception:
        return None


def defined(kind):
    """The special methods of a class, but for those that every object has; and others that a built-in type has, too."""
    found = {}
    for each in kind.__mro__[:-1]:
        for name in vars(each):
            if name[:2] == '__' and name[-2:] == '__':
                found.setdefault(name, (vars(each)[name], home_of(each) in (CODE, None)))
    given = {name for name, (value, _) in found.items() if value is not None and name in SPECIAL}
    # Python itself sets the one for hashes of classes that compare.
    refused = {name for name, (value, is_of_code) in found.items() if value is None and is_of_code and name in SPECIAL}
    is_odd = refused - ({'__hash__'} if '__eq__' in found else set())
    return sorted(given | overridden(kind) | ({REFUSES} if is_odd else set()))


def overridden(kind):
    """The methods of a type of values that a class of the code has its own of."""
    base = next((each for each in kind.__mro__ if home_of(each) not in NO_VALUES), object)
    is_value = base in VALUE_TYPES or home_of(base) in VALUE_MODULES
    # What a container of another kind holds is no plain value.
    if is_enumeration(kind) or not is_value and (base not in PLAIN or kind.__eq__ is not base.__eq__):
        return set()
    own = {name for each in kind.__mro__[:kind.__mro__.index(base)] for name in vars(each) if name[:1] != '_'}
    return {name for name in own if hasattr(base, name)} - CHANGING_METHODS


# The special methods that mean something to the judge.
SPECIAL = {f'__{name}__' for name in '''
    del get set set_name call iter next contains getitem setitem delitem bool enter exit await aiter anext aenter aexit len int float
    complex index abs
    round reversed neg pos invert dir trunc floor ceil lt le gt ge eq ne hash str repr bytes fspath
'''.split()}
for operation in 'add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift'.split():
    SPECIAL |= {f'__{operation}__', f'__r{operation}__', f'__i{operation}__'}
