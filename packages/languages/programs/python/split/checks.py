"""Signs that the code decides what only the judge should. What the script then finds is left unverified."""
import itertools
import sys

# Iterators of one object, and items of one iterator, that are remembered.
MAX_RUNS, MAX_RUN_ITEMS = 20, 10_000
# Items of a container that is compared with what it was before.
MAX_SHOWN_ITEMS = 64
# Questions that go through the items of something, or compare them.
ITERATES = {'iter', 'next', 'reversed', 'eq', 'ne'}
# Questions that change nothing.
LOOKS = set('get item len str repr bool int float complex index format contains lt le gt ge hash instance subclass name'.split())
# Those that end no comparison of what an object shows.
PEEKS = LOOKS | {'plain'}
# Those that also change nothing that the script holds; an attribute can be computed when it is read.
SILENT = LOOKS - {'get', 'item', 'name'} | {'eq', 'ne', 'plain'}
# Items of containers that are no longer shared, and that the judge watches.
WATCHED_ITEMS = 100_000
# Noted calls of built-in functions that the code defines as well.
MAX_CALLS = 1000


def shown_kind(value, depth=2):
    """What can be compared of an answer: a plain value, a small container of plain values, or of which kind it is."""
    kind = type(value)
    if kind in SCALARS_AND_BYTES or kind is tuple and all(type(each) in SCALARS for each in value):
        return repr(value)
    if depth and kind in CONTAINERS and len(value) <= MAX_SHOWN_ITEMS:
        parts = [shown_kind(each, depth - 1) for each in shallow(value)]
        return kind, sorted(parts, key=repr) if kind in (set, frozenset) else parts
    return object if about(value) is not None else kind


def is_of_indexes(part):
    """Whether a slice is one of a sequence."""
    return all(type(each) in (int, type(None)) for each in (part.start, part.stop, part.step)) and part.step != 0


def is_flat(value):
    """Whether something is a plain value, or a list of plain values."""
    return type(value) in SCALARS or type(value) in (list, tuple) and all(type(each) in SCALARS for each in value)


def add_to_run(run, item):
    if len(run[0]) < MAX_RUN_ITEMS:
        run[0].append(shown_kind(item))


def end_run(run):
    run[1] = len(run[0]) < MAX_RUN_ITEMS


class Shown:
    """What an object of the code has shown of its content, without a call in between."""

    def __init__(self, thing):
        # Whether numbers can be keys; whether it gives all keys when it is iterated.
        self.is_mapping, self.gives_keys = False, ('collections.abc', 'Mapping') in [
            (each.__module__, each.__name__) for each in type(thing).__mro__]
        self.length, self.items, self.slices = None, {}, []
        # The items that iterators have given, and whether that were all; the same from the end.
        self.runs, self.backward = [], []
        # Numbers that are no index; whether it said that something is not in it, and nothing could confirm that.
        self.ends, self.denies = set(), False
        # Whether what is no longer remembered has differed.
        self.differed = False
        for plain in thing._isopod_plain:
            self.note_plain(plain)

    def note_plain(self, plain):
        """Takes note of the value of an object whose class is derived from a built-in one."""
        self.is_mapping = self.is_mapping or isinstance(plain, dict)
        if isinstance(plain, (list, tuple, str, bytes, bytearray, dict, collections.deque)):
            run = self.begin()
            for item in itertools.islice(plain, MAX_RUN_ITEMS):
                add_to_run(run, item)
            end_run(run)

    def begin(self):
        """The run of a new iterator: its items so far, and whether that are all."""
        if len(self.runs) == MAX_RUNS:
            self.differed = self.differs()
            self.runs = [max(self.runs, key=lambda run: (run[1], len(run[0])))]
        self.runs.append([[], False])
        return self.runs[-1]

    def begin_backward(self):
        self.backward.append([[], False])
        return self.backward[-1]

    def lengths(self):
        """How many items there are: by its length, by iterators, and by an index behind all others."""
        found = {len(run) for run, is_over in self.runs + self.backward if is_over}
        if self.length is not None:
            found.add(self.length)
        if self.ends and all(at in self.items for at in range(min(self.ends))):
            found.add(min(self.ends))
        return found

    def content(self):
        """All items; None if they are not known."""
        return next((run for run, is_over in self.runs if is_over), None)

    def differs(self):
        lengths = self.lengths()
        if self.differed or len(lengths) > 1:
            return True
        runs = [*(run for run, _ in self.runs), *(run[::-1] for run, is_over in self.backward if is_over)]
        longest = max(runs, key=len, default=[])
        if any(run != longest[:len(run)] for run in runs):
            return True
        length = max(lengths, default=None)
        return self.differs_by_index(longest, length) or any(self.differs_in(part, shown, longest, length) for part, shown in self.slices)

    def differs_by_index(self, run, length):
        indexes = {at: item for at, item in self.items.items() if type(at) is int}
        if self.ends and any(at >= min(self.ends) for at in indexes) or self.denies and indexes:
            return True
        # An object that has the number among its items can be a mapping, and the number one of its keys.
        given = {} if self.is_mapping else {at: item for at, item in indexes.items() if repr(at) not in run}
        lowest = -len(run) if length == len(run) else 0
        if any(run[at] != item for at, item in given.items() if lowest <= at < len(run)):
            return True
        return self.gives_keys and self.content() is not None and any(repr(at) not in run for at in self.items)

    def differs_in(self, part, shown, run, length):
        """Whether a slice is not that of the items, or tells another number of them."""
        lengths, items = ({len(shown)}, shown) if type(shown) is list else (shown.lengths(), shown.content() or ())
        if length is not None and lengths and {len(range(length)[part])} != lengths:
            return True
        # A part up to the end tells how many there are at most.
        is_open = part.stop is None and part.step is None and (part.start or 0) >= 0
        if is_open and lengths and len(run) > (part.start or 0) + max(lengths):
            return True
        places = range(len(run) if length is None else length)
        return any(at < len(run) and run[at] != item for at, item in zip(places[part], items))


class Checks:
    def __init__(self):
        # Answers since anything happened.
        self.seen = {}
        # What objects have shown of their contents since the code was last called, by their numbers.
        self.contents = {}
        # Of iterators of the code's own classes: the items that they have given, by their numbers.
        self.runs = {}
        # Library types and modules that an answer names; what the script calls by an attribute; whether it calls what it finds.
        self.claimed, self.called_attributes, self.calls_found = [], set(), False
        # What the script gave for objects that functions of the code gave, and those that were given for several arguments.
        self.answered, self.shared_answers = {}, set()
        # Containers that the code gave as answers, and that both processes share, by their ids.
        self.told = {}
        # Containers that are no longer shared, with what they held then, by their ids.
        self.forgotten, self.watched = {}, 0
        # Objects that the script made of plain values, and that nothing has used since; the class that makes one now.
        self.unused, self.maker = set(), None
        # The last question in which the script had an object made; numbers of the named tuples of its class that came since then.
        self.last_made, self.tuples_told = 0, set()
        # Constants that the script has read, by where they are and their values.
        self.constants = {}
        # Numbers of the objects that were arguments of calls.
        self.passed = set()
        # Settings of the code's process after the code has run, by their names.
        self.settings = {}
        # Calls of functions that are to be compared with those of the code, and a test of unittest that failed.
        self.calls, self.failed_test = [], None

    def compare(self, name, args, value):
        """Notices an answer that changes although nothing has happened: each comparison would see another value."""
        if name not in LOOKS or any(type(each) not in SCALARS for each in args[1:]):
            return
        look = name, args[0] if name == 'name' else args[0]._isopod_number, repr(args[1:])
        if self.seen.setdefault(look, shown_kind(value)) != shown_kind(value):
            unverified(self, f'an answer to {name} changed although nothing happened')

    def note_content(self, name, args, value):
        """Takes note of what an object shows of its content: its length, an item, some of them, or its plain value."""
        if name not in ('len', 'item', 'plain') or about(args[0]) is None or args[0]._isopod_kind == 'class':
            return
        content = self.content_of(args[0])
        if name == 'len':
            content.length = value if type(value) is int and 0 <= value <= sys.maxsize else None
        elif name == 'plain':
            content.note_plain(value)
        elif type(args[1]) in (int, str):
            content.items[args[1]] = shown_kind(value)
        elif type(args[1]) is slice and is_of_indexes(args[1]):
            if about(value) is not None:
                content.slices.append((args[1], self.content_of(value)))
            elif isinstance(value, collections.abc.Sequence) or type(value).__module__ == 'numpy' and getattr(value, 'ndim', 0):
                content.slices.append((args[1], [shown_kind(each) for each in value]))

    def note_run(self, iterator, run):
        """Has an iterator of the code tell in a run what it gives."""
        if type(iterator) is RemoteIterator:
            iterator._run = run
        elif about(iterator) is not None:
            self.runs[iterator._isopod_number] = run

    def content_of(self, thing):
        number = thing._isopod_number
        if number not in self.contents:
            self.contents[number] = Shown(thing)
        return self.contents[number]

    def check_contents(self):
        """Notices objects that show one content when they are iterated, and another one when they are asked for their length or an item."""
        if any(each.differs() for each in self.contents.values()):
            self.doubt = self.doubt or 'an object shows one content to some questions, and another one to others'
        self.contents.clear()
        self.runs.clear()

    def check_name(self, name, value):
        """Leaves unverified what the code calls by another name than the library: only the code says that it is the library's."""
        is_library = isinstance(value, types.ModuleType) or isinstance(value, type) and about(value) is None and not issubclass(value, BaseException)
        if is_library and value.__name__.rpartition('.')[2] != ALIASES.get(name, name):
            self.doubt = self.doubt or f'{name} of the code stands for {value.__name__} of Python'

    def check_claims(self, name, args):
        """Leaves unverified what the script would have Python compute, because the code says that it is of Python."""
        claimed, self.claimed = self.claimed, []
        for each in claimed:
            is_called = name == 'get' and args[1] in self.called_attributes and args[1] != each.__name__
            if is_called or self.calls_found or name != 'name' and isinstance(each, types.ModuleType):
                self.doubt = self.doubt or f'an answer of the code stands for {each.__name__} of Python'

    def note_changed(self, name, args, changed):
        """Notices results that change while the script makes something else, which can be what it expects."""
        is_making = name == 'name' or about(args[0]) is not None and about(args[0])._isopod_kind == 'class'
        given = set(map(id, args))
        if is_making and any(id(each) in self.told and id(each) not in given for each in changed):
            self.doubt = self.doubt or 'a result changes while the script makes something else'

    def note_answer(self, thing, made, args, kwargs):
        """Notices an object that functions give for several arguments: it would be equal to itself."""
        if made is not None and (args or kwargs) and all(map(is_flat, (*args, *kwargs.values()))):
            given = thing._isopod_name, repr(args), repr(kwargs)
            if self.answered.setdefault(made._isopod_number, given) != given:
                self.shared_answers.add(made._isopod_number)

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

    def note_constant(self, owner, name, value):
        """Notices constants that are one value: a result that is to be one of them would be any of them."""
        # Numbers are often the same by chance.
        if name.isupper() and type(value) is str and value:
            if self.constants.setdefault((owner, value), name) != name:
                self.doubt = self.doubt or f'{self.constants[owner, value]} and {name} are the same'

    def note_tuple(self, number, kind):
        """Notices named tuples that the code gives, while it makes one, to be what the script expects."""
        if self.maker == kind:
            self.tuples_told.add(number)
            if len(self.tuples_told) > 1:
                self.doubt = self.doubt or 'the code gives a named tuple while it makes another one'

    def check_unused(self, number, kind):
        """Notices an object that the script made, and that the code can have found nowhere but in its constructor."""
        if number in self.unused and self.maker != kind:
            self.doubt = self.doubt or 'the code gives an object that the script made and did not give to it'

    def forget(self, container):
        """Takes note of a container that is no longer shared."""
        self.told.pop(id(container), None)
        content = shallow(container)
        if self.watched + len(content) < WATCHED_ITEMS:
            self.watched += len(content)
            self.forgotten[id(container)] = container, content

    def remember(self, containers):
        """Takes note of what containers hold that both processes have just seen, whether they are shared further or not."""
        for each in containers if self.forgotten else ():
            if id(each) in self.forgotten:
                self.forgotten[id(each)] = each, shallow(each)

    def check_forgotten(self):
        """The code would not know what the script changed in a container that is no longer shared."""
        if any(has_changed(each, before) for each, before in self.forgotten.values()):
            self.doubt = self.excuse = 'the script changes a container that is too large to be shared'

    def check_settings(self):
        """Notices settings of the code's process by which functions return something else there than in this process."""
        for name, here in settings().items():
            if self.settings.get(name, here) != here:
                self.excuse = self.excuse or f'the code does not share {name} with the script'

    def note_call(self, name, own, is_literal, args, kwargs):
        """
        Calls a built-in function, and notes the call for a comparison with the code's function of that name.

        is_literal: all arguments of its calls are literals, so the code would not see what the script computes.
        """
        writer = Writer(refuse)
        try:
            given = writer.each([args, kwargs])
            try:
                result = own(*args, **kwargs)
            except TypeError:
                if not is_literal:
                    unverified(self, f'{name} can be the code\'s or Python\'s')
                # It takes no such arguments: the script means the code's.
                return self.ask('name', name)(*args, **kwargs)
            self.calls.append((name, given, writer.write(result)))
        except (Unreadable, RecursionError):
            unverified(self, f'{name} can be the code\'s or Python\'s')
        return result

    def check_calls(self):
        """Compares calls once the script has ended: the code must not see what the script judges with."""
        for name, given, result in self.calls[:MAX_CALLS]:
            reader = Reader(refuse)
            args, kwargs = reader.each(given)
            expected = reader.read(result)
            try:
                is_equal = self.ask('name', name)(*args, **kwargs) == expected
            except Exception:
                is_equal = False
            if not is_equal or len(self.calls) > MAX_CALLS:
                unverified(self, f'{name} can be the code\'s or Python\'s')


def shows(fields, parameters, args, kwargs):
    """Whether all that the constructor of an object was given is in its fields, by the names of its parameters."""
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
    return True


def is_same(field, given):
    """Whether a field holds a plain value that was given; a list counts for a tuple, and a decimal for its text."""
    if {type(field), type(given)} == {list, tuple}:
        return [*field] == [*given]
    if (type(field).__module__, type(given)) in (('decimal', str), ('decimal', int), ('fractions', str), ('fractions', int)):
        try:
            return field == type(field)(given)
        except (ValueError, ArithmeticError):
            return False
    return type(field) is type(given) and field == given
