"""What the references of the code's process stand for in the judge's process. None of them is executed."""
import builtins
import collections
import sys
import types
import weakref

# Modules whose functions are the same everywhere, and types that are only data.
MODULES = set('''
    array base64 bisect calendar cmath collections copy datetime decimal fractions functools hashlib heapq itertools json math
    numbers operator random re statistics string struct textwrap time typing unicodedata zlib numpy
    configparser contextlib csv dataclasses enum inspect io ipaddress types uuid
'''.split())
TYPES = {kind.__module__ + '.' + kind.__qualname__: kind for kind in (
    int, float, complex, bool, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice, type, object, type(None),
    collections.deque, collections.Counter, collections.defaultdict, collections.OrderedDict)}
# Types whose objects pass as values, and those of iterators.
DATA = {'datetime': 'date time datetime timedelta timezone', 'decimal': 'Decimal', 'fractions': 'Fraction', 'array': 'array'}
ITERATORS = {each.__name__: each for each in (types.GeneratorType, map, filter, zip, enumerate, reversed)}
# Modules besides whose exceptions a script can catch.
LIBRARY = MODULES | {'abc', 'collections.abc', 'json.decoder', 'dataclasses', 'asyncio.exceptions', 'concurrent.futures._base', 'zoneinfo._common'}
EXCEPTIONS = {name: each for name, each in vars(builtins).items() if type(each) is type and issubclass(each, BaseException)}


class Meanings:
    def __init__(self):
        self.kinds, self.tuples, self.exceptions, self.members = {}, {}, {}, {}
        # Members' ids → their attribute value, and the plain value that each is equal to.
        self.member_values, self.plain_members = {}, {}
        # What the constructors of classes take, and what the script gave for objects.
        self.parameters, self.made_of = {}, {}
        # Methods of built-in types that classes of the code have their own of.
        self.overridden = {}
        # Whether the script gives attributes of its classes what it calls.
        self.fills_classes = False
        # Names of classes that the code derives from built-in ones.
        self.plain_names = set()
        # Classes of Python's library that the code has given, with what they had then.
        self.library_types = {}
        # Whether the bases of a class are read.
        self.is_reading_bases = False
        # Weak references to what stands for objects, by their numbers.
        self.proxies = {}
        # The question with whose answer the first of them came, and the objects of attributes of classes.
        self.first_seen, self.attributes = {}, {}

    def meaning(self, reader, data):
        """What a reference of the code's process stands for."""
        tag, *rest = data
        if tag == 'object':
            number, kind, rule, fields, own_hash, *plain = rest
            if kind[0] != 'class' or rule not in COMPARISONS:
                raise Unreadable
            kind = self.kind(reader, *kind[1:])
            fields, own_hash = read_fields(fields, self.check_keys), reader.read(own_hash)
            known = self.proxies_of(number)
            self.first_seen.setdefault(number, self.asked)
            if any(type(each) is not kind for each in known):
                self.doubt = self.doubt or f'one object of the code is of {about(kind)._isopod_name} and of another class'
            if about(kind)._isopod_fields and rule != 'member':
                self.doubt = self.doubt or f'{about(kind)._isopod_name} has an object that is none of its members'
            self.check_unused(number, about(kind)._isopod_number)
            if rule == 'identity':
                # Equal to none but itself.
                made = next((each for each in known if type(each) is kind), None)
                if made is not None:
                    self.tell(made, fields)
                    return made
            if rule in ('plain', 'member'):
                self.plain_names.add(about(kind)._isopod_name)
            plain, base = reader.each(plain), self.plain_base(kind) if rule == 'plain' else None
            if base is not None and base.__hash__ is None and own_hash is not None:
                self.doubt = self.doubt or f'{about(kind)._isopod_name} has hashes, where its plain values have none'
            # The value of what cannot change comes with it.
            if [type(each) for each in plain] != ([base] if base in FIXED else []):
                raise Unreadable
            # The judge computes the hash of a value, and that of a member.
            hashes = {type(None), int} if plain else HASHES
            is_named = fields is not None and fields.keys() == {'name'} and own_hash is None
            # A flag without members has no name.
            is_named = is_named and type(fields['name']) in (str, type(None))
            if type(own_hash) not in hashes or rule == 'member' and not is_named:
                raise Unreadable
            made = object.__new__(kind)
            Remote.__init__(made, self, number, about(kind)._isopod_number, about(kind)._isopod_name, rule, fields, own_hash, plain)
            self.proxies[number] = [weakref.ref(each) for each in (*known, made)]
            # A member is one object, whatever number the code gives to it.
            return self.members.setdefault((made._isopod_kind, str(fields)), made) if rule == 'member' else made
        if tag == 'class':
            kind = self.kind(reader, *rest)
            if kind.__qualname__ in DATA.get(kind.__module__, '').split():
                return self.claim(getattr(__import__(kind.__module__), kind.__qualname__))
            known = TYPES.get(f'{kind.__module__}.{kind.__qualname__}')
            return kind if known is None else self.claim(known)
        if tag == 'module':
            name, number = rest
            return self.claim(__import__(name)) if name in MODULES else Remote(self, number, 'module', text(name), 'identity')
        if tag == 'iterator':
            return RemoteIterator(self, rest[0], ITERATORS.get(rest[1]))
        if tag == 'coroutine':
            return self.wait(Remote(self, rest[0], None, 'coroutine', 'identity'))
        if tag == 'named tuple':
            number, kind, name, fields, *items = rest
            self.check_unused(number, kind)
            self.note_tuple(number, kind)
            made = self.tuples.get(kind)
            if made is None:
                made = self.tuples[kind] = self.tuple_type(text(name), fields)
            found = made(*reader.each(items))
            found._remote = Remote(self, number, kind, text(name), 'identity')
            return found
        if tag == 'exception class':
            made = self.error_type(reader, *rest)
            if made in CATCHERS and not self.is_reading_bases:
                self.doubt = self.doubt or 'an exception of the code is one that would catch assertions'
            return made
        if tag == 'lent':
            return numbered(self.lent, rest[0])
        if tag == 'raised':
            kind, args, number, texts, notes, is_without_context, cause, context = rest
            made, args = self.error_type(reader, *kind[1:]), reader.each(args)
            try:
                error = type.__call__(made, *args)
            except Exception:
                error = made.__new__(made)
            error.__dict__['_remote'] = Remote(self, number, None, made.__name__, 'identity')
            for name, value in texts.items():
                # By others, such as name_from, a traceback imports modules.
                if name in ERROR_TEXTS and any(isinstance(vars(each).get(name), types.MemberDescriptorType) for each in type(error).__mro__):
                    setattr(error, name, text(value))
            for each in notes:
                error.add_note(text(each))
            error.__cause__, error.__context__ = reader.read(cause), reader.read(context)
            error.__suppress_context__ = is_without_context is True
            return error
        raise Unreadable

    def plain_base(self, kind):
        """The built-in type from which a class of the code is derived, and of which its objects have a value; None if there is none."""
        made = object.__new__(kind)
        return next((each for each in PLAIN if isinstance(made, each)), None)

    def claim(self, thing):
        """Takes note of what the code says to be of Python's library."""
        # A function of the script that calls what it gets would make a class that is equal to anything.
        if thing is type and not self.is_reading_bases:
            unverified(self, 'the code gives the type of all types')
        self.claimed.append(thing)
        if isinstance(thing, type) and not is_native(thing):
            self.library_types.setdefault(thing, dict(vars(thing)))
        return thing

    def check_library(self):
        """Notices that the script has changed a class of Python's library for the code."""
        if any(dict(vars(each)) != before for each, before in self.library_types.items()):
            unverified(self, 'the script changes a class of Python that the code gives')

    def tell(self, thing, fields):
        """Takes note of what an object is now. What differs was told now, and no longer shows what it was made of."""
        if thing._isopod_fields != fields:
            if thing._isopod_rule == 'member':
                raise Unreadable
            for name, value in ('_isopod_fields', fields), ('_isopod_told', self.asked), ('_isopod_is_proven', False):
                object.__setattr__(thing, name, value)

    def proxies_of(self, number):
        return [made for each in self.proxies.get(number, ()) if (made := each()) is not None]

    def change_fields(self, changed):
        for number, fields in changed:
            if number == HELD:
                self.check_held()
                continue
            fields = read_fields(fields, self.check_keys)
            for each in self.proxies_of(number):
                self.tell(each, fields)

    def kind(self, reader, number, name=None, origin=None, members=(), bases=(), methods=(), parameters=None):
        """The type of the objects of a class of the code, which comes with its description once."""
        if name is None:
            return self.kinds[number]
        containers = len(reader.containers)
        known = [each for each in self.read_bases(reader, bases) if isinstance(each, type) and each not in (object, type)]
        # A description within its own bases came first.
        if type(number) is not int or number in self.kinds or type(methods) is not list:
            raise Unreadable
        made = self.kinds[number] = type_of(self, number, text(name), text(origin), known, methods)
        self.parameters[number] = read_parameters(parameters)
        self.overridden[number] = {name for name in methods if name[:1] != '_'}
        if REFUSES in methods:
            self.doubt = self.doubt or f'{made.__name__} refuses what other objects can do'
        if '__del__' in methods and origin == '__main__':
            self.doubt = self.excuse = f'objects of {made.__name__} live on in the process of the code'
        if self.fills_classes and not DESCRIBES.isdisjoint(methods):
            self.doubt = self.excuse = f'{made.__name__} does not describe attributes of classes of the script'
        if members:
            outer, self.is_reading_bases = self.is_reading_bases, False
            object.__setattr__(about(made), '_isopod_fields', self.read_members(reader, number, members))
            self.is_reading_bases = outer
        # The keys of a container within a description could be members, which have no values before this.
        if len(reader.containers) > containers:
            raise Unreadable
        return made

    def read_bases(self, reader, bases):
        if any(type(each) is not list or each[0] not in ('class', 'exception class') for each in bases):
            raise Unreadable
        outer, self.is_reading_bases = self.is_reading_bases, True
        try:
            return reader.each(bases)
        finally:
            self.is_reading_bases = outer

    def read_members(self, reader, number, members):
        """The members of an enumeration by their names; None if there are none. Keeps their values, which never change."""
        found, values, plain_values = {}, {}, {}
        base = self.plain_base(self.kinds[number])
        for name, member, value, *plain in members:
            found[text(name)] = made = reader.read(member)
            if about(made) is None or made._isopod_rule != 'member' or made._isopod_kind != number:
                return None
            if type(value) in SCALARS and value is not None:
                # What the code says later could be what the script then compares with.
                values.setdefault(id(made), value)
            for each in Reader(refuse).each(plain):
                if type(each) is base:
                    plain_values.setdefault(id(made), each)
        self.member_values.update(values)
        self.plain_members.update(plain_values)
        return found or None

    def tuple_type(self, name, fields):
        if type(fields) is not list:
            raise Unreadable
        if QUERIES.union(PLAIN_QUERIES).intersection(fields):
            unverified(self, f'{name} has fields with names of methods')
        try:
            own = collections.namedtuple(name, fields, rename=True)
        except SyntaxError:
            # Two spellings of one name.
            raise Unreadable from None

        def attribute(made, key):
            if key[:2] != '__' and '_remote' not in vars(made):
                unverified(self, f'{key} of a {name} that the script has made of another one')
            return of_error(made, key)
        return type(name, (own,), {
            '__getattr__': attribute, '__module__': '__main__',
            '__str__': lambda made: text(str(made._remote)), '__repr__': lambda made: text(repr(made._remote))})

    async def wait(self, remote):
        return self.ask('await', remote)

    def error_type(self, reader, number, name=None, origin=None, bases=(), methods=()):
        """The type of the exceptions of one class of the code."""
        if number is None:
            return CodeExit if name == 'SystemExit' else EXCEPTIONS[name]
        if name is None:
            return self.exceptions[number]
        found = getattr(sys.modules.get(origin), text(name), None) if origin in LIBRARY else None
        known = (found,) if isinstance(found, type) and issubclass(found, BaseException) else tuple(self.read_bases(reader, bases))
        # A description within its own bases came first.
        if type(methods) is not list or number in self.exceptions:
            raise Unreadable
        if not all(isinstance(each, type) and BaseException in type.mro(each) for each in known):
            raise Unreadable
        space = {'__module__': text(origin), '__getattr__': of_error, '_isopod_about': Remote(self, number, 'class', name, 'identity')}
        if '__eq__' in methods:
            space['__hash__'] = Exception.__hash__
            space['__eq__'] = lambda error, other: error is other or unverified(self, f'only the code could tell what {name} is equal to')
        if not TOLD_OF_ERRORS.issuperset(methods):
            self.excuse = self.excuse or f'the judge does not know all methods of {name}'
        for question in 'str', 'repr':
            if f'__{question}__' in methods:
                space[f'__{question}__'] = self.telling(question)
        self.exceptions[number] = made = type.__new__(RemoteErrorType, name, known, space)
        return made

    def telling(self, question):
        """The method of an exception that asks the code for its text."""
        return lambda error: text(self.ask(question, error._remote))


# How the objects of a class are compared: as themselves, by their fields, as their plain values, by their own method, as members.
COMPARISONS = {'identity', 'fields', 'plain', 'own', 'member'}
# Types of what has the hash of an object: the hash itself, or a value with the same one.
HASHES = {type(None), int, *FIXED}
# Special methods of exceptions whose meaning the judge knows.
TOLD_OF_ERRORS = {'__str__', '__repr__', '__eq__', '__ne__'}
# Methods by which an object is asked for in place of an attribute.
DESCRIBES = {'__get__', '__set__', '__set_name__'}


def read_fields(fields, check_keys):
    """The fields of an object that has none but plain ones; None for others."""
    return None if fields is None else {text(name): Reader(refuse, (), check_keys).read(value) for name, value in fields.items()}


def read_parameters(parameters):
    """Names by position, the name of all further ones, and plain defaults of a constructor; None if they are not known."""
    if parameters is None:
        return None
    names, rest, defaults = parameters
    if any(type(each) not in SCALARS for each in defaults.values()):
        raise Unreadable
    return [text(each) for each in names], rest and text(rest), defaults


def refuse(reader, data):
    raise Unreadable
