"""What stands in the judge's process for things in the code's process. Every use of them is a question to that process."""
import abc
import builtins
import collections.abc
import sys
import traceback
import types


class Unverified(BaseException):
    """Only the code could tell. Not an Exception, so that no script takes it for one."""


class CodeExit(SystemExit):
    """The code asked its process to end."""


def unverified(judge, reason):
    judge.doubt = judge.doubt or reason
    # A test runner can catch it.
    judge.is_undecided = True
    raise Unverified(reason)


SHOWN = {f'__{name}__' for name in '''
    name qualname module annotations defaults kwdefaults code wrapped dict bases mro self func dataclass_fields match_args
    isabstractmethod abstractmethods
'''.split()}


# What a type really has; a class of the code shows that to libraries only.
type_dict = vars(type)['__dict__'].__get__
LOOKS_OF_BUILT_INS = {'function': types.FunctionType, 'method': types.MethodType, 'property': property}


def text(value):
    if type(value) is not str:
        raise TypeError('__str__ returned non-string')
    return value


class Remote:
    # Something in the code's process, with its own description. What Python can do with it is in the types made for its class.
    __doc__ = property(lambda self: self._isopod_judge.ask('get', self, '__doc__'))
    __slots__ = (
        *(f'_isopod_{name}' for name in 'judge number kind name rule fields told is_made is_proven is_combined hash plain'.split()),
        '__weakref__')

    def __init__(self, judge, number, kind, name, rule, fields=None, own_hash=None, plain=()):
        if type(number) is not int:
            raise Unreadable
        parts = judge, number, kind, name, rule, fields, judge.asked, False, False, False, own_hash, plain
        for slot, value in zip(Remote.__slots__, parts):
            object.__setattr__(self, slot, value)

    def __getattr__(self, name):
        # Others have a meaning for Python and its libraries, such as the address of an array.
        if name[:2] == '__' and name not in SHOWN:
            raise AttributeError(name)
        return self._isopod_judge.get(self, name)

    @property
    def __signature__(self):
        unverified(self._isopod_judge, f'the judge does not know the parameters of {self._isopod_name}')

    def __setattr__(self, name, value):
        self._isopod_judge.ask('set', self, name, value)

    def __delattr__(self, name):
        self._isopod_judge.ask('delete', self, name)

    def __hash__(self):
        # Equal ones have the same; whether two are equal is asked then.
        if self._isopod_rule == 'identity':
            return hash(self._isopod_number)
        if self._isopod_rule == 'plain':
            return hash_of_plain(self)
        if self._isopod_rule != 'member':
            return hash(self._isopod_kind)
        values = self._isopod_judge.plain_members
        is_valued = id(self) in values and self._isopod_judge.has_value(self)
        return hash(values[id(self)] if is_valued else str(self._isopod_fields))

    def __str__(self):
        return text(self._isopod_judge.ask('str', self))

    def __repr__(self):
        return text(self._isopod_judge.ask('repr', self))

    def __format__(self, spec):
        return text(self._isopod_judge.ask('format', self, spec))

    def __eq__(self, other):
        # Such as `unittest.mock.ANY`, and what the script itself compares with anything.
        kind, tuples = type(other), self._isopod_judge.tuples.values()
        is_of_script = kind.__module__ in ('__main__', 'unittest.mock') and about(other) is None and kind not in tuples
        if is_of_script and kind.__eq__ is not object.__eq__:
            return NotImplemented
        return self._isopod_judge.equal(self, other)

    def __bool__(self):
        if self._isopod_is_combined:
            name = self._isopod_name
            unverified(self._isopod_judge, f'only the code could tell what {name} is, combined with what may be expected')
        return len(self) > 0 if has_method(self, '__len__') else True

    def __dir__(self):
        return self._isopod_judge.ask('dir', self)

    def __copy__(self):
        return self._isopod_judge.copied(self, 'copy')

    def __deepcopy__(self, _):
        return self._isopod_judge.copied(self, 'deepcopy')


def has_method(thing, name):
    """Whether the class of an object of the code has a method; all of these classes have those of their metaclass."""
    return any(name in type_dict(each) for each in type(thing).__mro__)


def about(thing):
    """What the judge knows of an object or a class of the code; None for all else."""
    kind = type(thing)
    if Remote in kind.__mro__:
        return thing
    return type_dict(thing)['_isopod_about'] if kind in (RemoteType, RemoteErrorType) else None


class OfCode(type):
    """A class of the code: its attributes are the code's."""

    def __new__(cls, name, bases, *_, **__):
        base = next(each for each in bases if isinstance(each, OfCode))
        unverified(about(base)._isopod_judge, f'{name} derives from a class of the code')

    def __getattr__(cls, name):
        if name[:2] == '__' and name not in SHOWN:
            raise AttributeError(name)
        return about(cls)._isopod_judge.get(about(cls), name)

    def __setattr__(cls, name, value):
        about(cls)._isopod_judge.ask('set', about(cls), name, value)

    def __delattr__(cls, name):
        about(cls)._isopod_judge.ask('delete', about(cls), name)

    def __dir__(cls):
        return about(cls)._isopod_judge.ask('dir', about(cls))

    @property
    def __doc__(cls):
        return about(cls)._isopod_judge.ask('get', about(cls), '__doc__')

    @property
    def __dict__(cls):
        if sys._getframe(1).f_code.co_filename == SCRIPT:
            unverified(about(cls)._isopod_judge, f'the judge does not know all that {cls.__name__} has')
        return type_dict(cls)

    @property
    def __members__(cls):
        members = about(cls)._isopod_fields
        if not members:
            raise AttributeError('__members__')
        return types.MappingProxyType(members)

    @property
    def __annotations__(cls):
        return about(cls)._isopod_judge.ask('get', about(cls), '__annotations__')


# In its body the name would mean slots of its own.
OfCode.__slots__ = property(lambda cls: about(cls)._isopod_judge.ask('get', about(cls), '__slots__'))


class RemoteType(OfCode):
    __doc__ = vars(OfCode)['__doc__']

    def __call__(cls, /, *args, **kwargs):
        return about(cls)._isopod_judge.call(about(cls), *args, **kwargs)

    def __instancecheck__(cls, thing):
        return type.__instancecheck__(cls, thing) or about(cls)._isopod_judge.is_instance(thing, about(cls))

    def __subclasscheck__(cls, kind):
        if type.__subclasscheck__(cls, kind):
            return True
        return about(kind) is not None and about(cls)._isopod_judge.ask('subclass', about(kind), about(cls)) is True

    # Of an enumeration.

    def __iter__(cls):
        known = about(cls)
        judge = known._isopod_judge
        found = judge.ask('iter', known)
        judge.note_run(found, judge.content_of(known).begin(), judge.number_of(known))
        return iter(found)

    def __len__(cls):
        return about(cls)._isopod_judge.ask('len', about(cls))

    def __contains__(cls, item):
        return any(each is item or each == item for each in cls)

    def __getitem__(cls, key):
        return about(cls)._isopod_judge.item(about(cls), key)

    def __bool__(cls):
        return True


class RemoteErrorType(OfCode):
    __doc__ = vars(OfCode)['__doc__']

    def __call__(cls, /, *args, **kwargs):
        known = about(cls)
        made = known._isopod_judge.ask('call', known, *args, **kwargs)
        known._isopod_judge.check_error(known, cls, made)
        return made


def of_error(error, name):
    """An attribute of an exception of the code that the exception here does not have."""
    remote = error.__dict__.get('_remote')
    if remote is None or name[:2] == '__' and name != '__notes__':
        raise AttributeError(name)
    return getattr(remote, name)


def forwarded(operation):
    def apply(self, *args):
        judge = self._isopod_judge
        return judge.check_value(self, operation, args, judge.ask(operation, self, *args))
    return apply


def iterated(self):
    judge = self._isopod_judge
    found = judge.ask('iter', self)
    # What is used up gives less the next time.
    if not has_method(self, '__next__') or has_method(self, '__len__'):
        judge.note_run(found, judge.content_of(self).begin(), judge.number_of(self))
    return found


def stepped(self):
    judge = self._isopod_judge
    values, run = judge.ask('next', self, 1)[0], judge.run_of(self)
    if not values:
        run.end()
        raise StopIteration
    run.add(*judge.show(values[0]))
    return values[0]


def reversed_there(self):
    judge = self._isopod_judge
    found = judge.ask('reversed', self)
    judge.note_run(found, judge.content_of(self).begin_backward(), judge.number_of(self))
    return found


def between(operation, is_reflected=False):
    """An operator. What code makes of an object and of what the script expects is no value: it can only be compared."""
    def apply(self, other, *rest):
        if rest:
            unverified(self._isopod_judge, f'only the code could tell what a power of {self._isopod_name} is, divided by a number')
        known = about(other)
        is_like = known is not None and self._isopod_is_made == known._isopod_is_made
        is_combined = not is_like or self._isopod_is_combined or known._isopod_is_combined
        question = self._isopod_judge.asked + 1
        result = self._isopod_judge.ask(operation, *((other, self) if is_reflected else (self, other)))
        if is_combined:
            if about(result) is not result or result._isopod_rule == 'plain':
                unverified(self._isopod_judge, f'the code would see in an operation of {self._isopod_name} what may be expected')
            object.__setattr__(result, '_isopod_is_combined', True)
        elif about(result) is None and known._isopod_number == self._isopod_number and not self._isopod_is_made:
            unverified(self._isopod_judge, f'only the code could tell what an operation of {self._isopod_name} with itself gives')
        elif getattr(about(result), '_isopod_rule', None) == 'identity' and result is not self and result is not other:
            self._isopod_judge.check_echo(result, question)
        return result
    return apply


def compared(operation):
    def apply(self, other):
        # What the script made could be what it expects; the code has been told.
        if about(other) is not other or self._isopod_is_made != other._isopod_is_made:
            unverified(self._isopod_judge, f'only the code could tell which of two {self._isopod_name} is larger')
        told = self._isopod_judge.ask(operation, self, other)
        if self._isopod_rule == 'plain' == other._isopod_rule:
            own = getattr(operator, operation)(self._isopod_judge.plain_of(self), self._isopod_judge.plain_of(other))
            if told is not own:
                unverified(self._isopod_judge, f'only the code could tell which of two {self._isopod_name} is larger')
        return told
    return apply


def contains(self, item):
    # What it holds, before the code knows the item.
    if self._isopod_rule == 'plain':
        seen = item in self._isopod_judge.plain_of(self)
    else:
        seen = isinstance(self, collections.abc.Iterable) and any(each is item or each == item for each in self)
    if (self._isopod_judge.ask('contains', self, item) is True) != seen:
        unverified(self._isopod_judge, f'only the code could tell what is in {self._isopod_name}')
    if not seen and not has_method(self, '__iter__'):
        self._isopod_judge.content_of(self).denies = True
    return seen


def hashed(self):
    if self._isopod_rule in ('member', 'plain'):
        return Remote.__hash__(self)
    if self._isopod_hash is None:
        # Asked once: an object whose hash changes would be found at several places of a set.
        object.__setattr__(self, '_isopod_hash', self._isopod_judge.ask('hash', self))
    return hash_told(self._isopod_hash)


def hash_told(told):
    """The hash that the code told, or that of a value with the same one."""
    return told if type(told) is int else hash(told)


def hash_of_plain(thing):
    """The hash of an object whose class is derived from a built-in one: with another hash, equal ones would be two in a set."""
    told = thing._isopod_hash
    if not thing._isopod_plain:
        # Values that can change have no hash; a class that defines one leaves the script unverified.
        if told is None:
            raise TypeError(f'unhashable type: {thing._isopod_name!r}')
        return hash_told(told)
    own = hash(thing._isopod_plain[0])
    if told not in (None, own):
        unverified(thing._isopod_judge, f'the hash of {thing._isopod_name} is not that of its value')
    return own


def leave(self, kind, error, trace):
    if isinstance(error, (Unverified, Ended)):
        return False
    # A failed assertion would tell the code what the script expects.
    is_secret = isinstance(error, AssertionError) and '_remote' not in vars(error)
    judge = self._isopod_judge
    try:
        is_swallowed = judge.ask('exit', self, None if is_secret else error) is True and not is_secret
    except BaseException:
        # What the code raises here takes the place of the error.
        if is_secret:
            judge.failed = judge.failed or error
        raise
    if is_swallowed and not is_raised(trace, judge.unconditional):
        judge.doubt = judge.doubt or 'a context manager of the code swallows an error that may be a failure'
    return is_swallowed


def is_raised(trace, unconditional):
    """Whether the script itself raised an error, by a statement that depends on nothing."""
    frames = [each for each in traceback.extract_tb(trace) if each.filename == SCRIPT]
    return bool(frames) and frames[-1].line.lstrip().startswith('raise') and frames[-1].lineno in unconditional


def awaited(self):
    value = self._isopod_judge.ask('await', self)
    if self._isopod_judge.is_limited:
        # Timers that are due meanwhile, such as a timeout, come first.
        yield
        yield
    return value
    yield


def iterated_later(self):
    judge = self._isopod_judge
    found = judge.ask('aiter', self)
    if not has_method(self, '__anext__'):
        judge.note_run(found, judge.content_of(self).begin(), judge.number_of(self))
    return found


async def next_later(self):
    judge = self._isopod_judge
    found, run = judge.ask('anext', self), judge.run_of(self)
    if not found:
        run.end()
        raise StopAsyncIteration
    run.add(*judge.show(found[0]))
    return found[0]


async def enter_later(self):
    return self._isopod_judge.ask('aenter', self)


async def leave_later(self, kind, error, trace):
    return leave(self, kind, error, trace)


# What a class of the code can define that Python, not the script, calls.
SPECIAL = {
    '__call__': lambda self, /, *args, **kwargs: self._isopod_judge.call(self, *args, **kwargs),
    '__iter__': iterated,
    '__next__': stepped,
    '__reversed__': reversed_there,
    '__contains__': contains,
    '__getitem__': lambda self, key: self._isopod_judge.item(self, key),
    '__bool__': lambda self: Remote.__bool__(self) if self._isopod_is_combined else forwarded('bool')(self) is True,
    '__hash__': hashed,
    '__ne__': lambda self, other: self._isopod_judge.unequal(self, other),
    '__exit__': leave,
    '__await__': awaited,
    '__aiter__': iterated_later,
    '__anext__': next_later,
    '__aenter__': enter_later,
    '__aexit__': leave_later,
}
for method, operation in {
    '__setitem__': 'set_item', '__delitem__': 'delete_item', '__len__': 'len', '__int__': 'int',
    '__float__': 'float', '__complex__': 'complex', '__index__': 'index', '__enter__': 'enter', '__abs__': 'abs',
    '__round__': 'round',
    '__neg__': 'neg', '__pos__': 'pos', '__invert__': 'invert', '__dir__': 'dir',
    '__trunc__': 'trunc', '__floor__': 'floor', '__ceil__': 'ceil', '__bytes__': 'bytes', '__fspath__': 'fspath',
}.items():
    SPECIAL[method] = forwarded(operation)
for operation in 'add sub mul truediv floordiv mod divmod pow matmul and_ or_ xor lshift rshift'.split():
    bare = operation.strip('_')
    SPECIAL[f'__{bare}__'] = between(operation)
    SPECIAL[f'__r{bare}__'] = between(operation, True)
    SPECIAL[f'__i{bare}__'] = between(f'i{bare}')
for operation in 'lt', 'le', 'gt', 'ge':
    SPECIAL[f'__{operation}__'] = compared(operation)


def library_type(origin, name):
    """The judge's own type of that name, for isinstance; None if the script cannot have it."""
    if origin == 'builtins':
        return LOOKS_OF_BUILT_INS.get(name)
    found = getattr(sys.modules.get(origin.lstrip('_')), name, None) if origin.lstrip('_') in LIBRARY else None
    return found if isinstance(found, type) else None


def type_of(judge, number, name, origin, bases, methods):
    """Makes the type of the objects of one class of the code, with what that class can do, and nothing else."""
    plain = next((each for each in bases if not isinstance(each, OfCode)), None)
    known = library_type(origin, name)
    space = {method: SPECIAL[method] for method in methods if method in SPECIAL}
    space.update(
        __slots__=(), __module__=origin, __qualname__=name, __doc__=vars(Remote)['__doc__'],
        _isopod_about=Remote(judge, number, 'class', name, 'identity'))
    if '__eq__' in methods and '__hash__' not in methods:
        space['__hash__'] = None
    if origin == 'builtins' and name == 'function':
        # As a method of a class of the script that code has decorated.
        space['__get__'] = lambda self, thing, kind=None: self if thing is None else types.MethodType(self, thing)
    if isinstance(known, abc.ABCMeta):
        pass
    elif known is not None:
        space['__class__'] = property(lambda self: known)
    elif plain is not None:
        # For isinstance; what such an object holds is in the code's process.
        look = type(name, (plain,), {'__module__': origin}) if plain not in (bool, range, slice, type(None)) else plain
        space['__class__'] = property(lambda self: look)
    own = tuple(each for each in bases if isinstance(each, RemoteType)) or (Remote,)
    try:
        made = type.__new__(RemoteType, name.rpartition('.')[2], own, space)
    except TypeError:
        made = type.__new__(RemoteType, name.rpartition('.')[2], (Remote,), space)
    if isinstance(known, abc.ABCMeta):
        known.register(made)
    return made


# Values of an iterator that are asked for one by one.
SINGLE_STEPS = 32


class RemoteIterator:
    """An iterator in the code's process; values come in batches."""
    # For isinstance.
    __class__ = property(lambda self: self._look)

    def __init__(self, judge, number, look=None):
        self._look = look or RemoteIterator
        self._isopod_judge, self._remote = judge, Remote(judge, number, None, 'iterator', 'identity')
        self._waiting, self._is_over, self._size, self._count, self._value = collections.deque(), False, 1, 0, None
        # What it has given so far, and whether that is all, for what is known of the object that gave it.
        self._run = Run()

    def __iter__(self):
        return self

    def __next__(self):
        if not self._waiting and not self._is_over:
            values, over, value = self._isopod_judge.ask('next', self._remote, self._size)
            self._waiting.extend(values)
            self._is_over, self._value = over is True or not values, value
            # One at first: what a generator does between two values comes between them. So do calls of the script's functions.
            self._count += 1
            if self._count > SINGLE_STEPS and not self._isopod_judge.has_lent_code:
                self._size *= 2
        if not self._waiting:
            value, self._value = self._value, None
            self._run.end()
            raise StopIteration(value)
        item = self._waiting.popleft()
        self._run.add(*self._isopod_judge.show(item))
        return item

    def send(self, value):
        return self._isopod_judge.ask('get', self._remote, 'send')(value)

    def throw(self, error):
        return self._isopod_judge.ask('get', self._remote, 'throw')(error)

    def close(self):
        self._isopod_judge.ask('get', self._remote, 'close')()


class Names(dict):
    """The script's built-in names, and behind them those that the code defines."""

    def __init__(self, judge, given):
        super().__init__(vars(builtins))
        self.judge, self.given = judge, given
        self.update((name, value) for name, value in given.items() if about(value) is not None and name not in self)

    def __missing__(self, name):
        if name not in self.given:
            raise KeyError(name)
        value = self.judge.ask('name', name)
        self.judge.note_constant(None, name, value)
        self.judge.check_name(name, value)
        path = ALIASES.get(name, name)
        is_other = self.given[name] is True or getattr(about(value), '_isopod_kind', None) == 'module'
        if path in MODULES and is_other and value is not sys.modules.get(path):
            unverified(self.judge, f'{name} of the code is not the module {name}')
        if about(value) is not None or isinstance(value, (type, types.ModuleType)):
            self[name] = value
        return value
