"""What objects of the code show to questions that change nothing. It must not contradict itself."""
import collections
import collections.abc
import itertools
import sys
import types

# Iterators of one object, and items of one iterator, that are remembered.
MAX_RUNS, MAX_RUN_ITEMS = 20, 10_000
# Characters of an answer that are remembered; of a longer one it is the hash.
LONGEST_SHOWN = 500
# Questions that change nothing.
LOOKS = set('get item len str repr bool int float complex index format contains lt le gt ge hash instance subclass name'.split())
# Those that end no comparison of what objects show, and whose answers are compared.
PEEKS = LOOKS | {'plain', 'eq', 'ne', 'asdict', 'astuple', 'fields'}
# Questions that go through the items of something.
ITERATES = {'iter', 'next', 'reversed', 'aiter', 'anext'}
# Those that also change nothing that the script holds; an attribute can be computed when it is read.
SILENT = LOOKS - {'get', 'item', 'name'} | {'eq', 'ne', 'plain'}
# What has one identity in the judge's process.
IDENTICAL = types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.ModuleType, type


class Shower(Writer):
    """Writes values for a comparison: those that a script cannot tell apart are one text. Collects what is of the code in them."""

    def __init__(self, looks, shows_numbers=False):
        super().__init__(self.stand_in)
        self.looks, self.shows_numbers = looks, shows_numbers
        # Objects and iterators, if their order is one.
        self.things, self.is_ordered = [], True

    def write(self, value):
        if type(value) not in (set, frozenset):
            return super().write(value)
        outer, self.is_ordered = self.is_ordered, False
        try:
            return [type(value).__name__, *sorted(map(repr, self.each(value)))]
        finally:
            self.is_ordered = outer

    def stand_in(self, _, thing):
        known = about(thing)
        if (known is not None or type(thing) is RemoteIterator) and self.is_ordered:
            self.things.append(thing if known is None else known)
        if known is None:
            if isinstance(thing, tuple):
                return [type(thing).__name__, *self.each(thing)]
            return [type(thing).__name__, id(thing) if isinstance(thing, IDENTICAL) else None]
        if self.shows_numbers or known._isopod_kind == 'class':
            return ['number', self.looks.number_of(known)]
        shows_fields = known._isopod_rule in ('fields', 'member')
        return ['object', known._isopod_kind, self.write(known._isopod_fields) if shows_fields else None, *self.each(known._isopod_plain)]


def is_of_indexes(part):
    """Whether a slice is one of a sequence."""
    return all(type(each) in (int, type(None)) for each in (part.start, part.stop, part.step)) and part.step != 0


class Run:
    """The items that an iterator has given, and whether that were all."""

    def __init__(self, content=None):
        self.content = content
        self.items, self.count, self.is_over = [], 0, False

    def add(self, shown, things=()):
        if self.count < MAX_RUN_ITEMS:
            self.items.append(shown)
            if self.content is not None:
                self.content.match(self.count, things)
        self.count += 1

    @property
    def is_whole(self):
        """Whether these are all items."""
        return self.is_over and self.count == len(self.items)


class Shown:
    """What an object of the code has shown of its content, without a call in between."""

    def __init__(self, looks, thing=None):
        self.looks = looks
        # Whether numbers can be keys; whether it gives all keys when it is iterated.
        self.is_mapping, self.gives_keys = False, ('collections.abc', 'Mapping') in [
            (each.__module__, each.__name__) for each in type(thing).__mro__]
        self.length, self.items, self.slices = None, {}, []
        # The runs of iterators; those from the end; the items of sets, which have no order.
        self.runs, self.backward, self.members = [], [], []
        # Objects among the items, by their places.
        self.things = {}
        # Numbers that are no index; whether it said that something is not in it, and nothing could confirm that.
        self.ends, self.denies = set(), False
        # Whether what is no longer remembered has differed.
        self.differed = False
        for plain in thing._isopod_plain if thing is not None else ():
            self.note_plain(plain)

    def note_plain(self, plain):
        """Takes note of the value of an object whose class is derived from a built-in one."""
        self.is_mapping = self.is_mapping or isinstance(plain, dict)
        if isinstance(plain, (set, frozenset)):
            self.members.append(sorted(repr(self.looks.shown(each)) for each in plain))
        elif isinstance(plain, (list, tuple, str, bytes, bytearray, dict, collections.deque)):
            run = self.begin()
            for item in itertools.islice(plain, MAX_RUN_ITEMS):
                run.add(*self.looks.show(item))
            run.count, run.is_over = len(plain), True

    def match(self, place, things):
        """What is at a place is one object, even if the code makes it anew for each look."""
        self.looks.match(*self.things.setdefault(place, (self.looks.asked, things)), things)

    def begin(self):
        """The run of a new iterator."""
        if len(self.runs) == MAX_RUNS:
            self.differed = self.differs()
            self.runs = [max(self.runs, key=lambda run: (run.is_over, run.count))]
        self.runs.append(Run(self))
        return self.runs[-1]

    def begin_backward(self):
        self.backward.append(Run())
        return self.backward[-1]

    def lengths(self):
        """How many items there are: by its length, by iterators, and by an index behind all others."""
        found = {run.count for run in self.runs + self.backward if run.is_over} | {len(each) for each in self.members}
        if self.length is not None:
            found.add(self.length)
        if self.ends and all(at in self.items for at in range(min(self.ends))):
            found.add(min(self.ends))
        return found

    def content(self):
        """All items; None if they are not known."""
        return next((run.items for run in self.runs if run.is_whole), None)

    def differs(self):
        lengths = self.lengths()
        if self.differed or len(lengths) > 1:
            return True
        runs = [*(run.items for run in self.runs), *(run.items[::-1] for run in self.backward if run.is_whole)]
        longest = max(runs, key=len, default=[])
        if any(run != longest[:len(run)] for run in runs) or any(self.differs_from(each, longest) for each in self.members):
            return True
        length = max(lengths, default=None)
        return self.differs_by_index(longest, length) or any(self.differs_in(part, shown, longest, length) for part, shown in self.slices)

    def differs_from(self, members, run):
        """Whether a set is not what its iterators give."""
        given = collections.Counter(map(repr, run))
        return max(given.values(), default=1) > 1 or not given.keys() <= {*members}

    def differs_by_index(self, run, length):
        indexes = {at: item for at, item in self.items.items() if type(at) is int}
        if self.ends and any(at >= min(self.ends) for at in indexes) or self.denies and indexes:
            return True
        # An object that has the number among its items can be a mapping, and the number one of its keys.
        given = {} if self.is_mapping else {at: item for at, item in indexes.items() if self.looks.shown(at) not in run}
        lowest = -len(run) if length == len(run) else 0
        if any(run[at] != item for at, item in given.items() if lowest <= at < len(run)):
            return True
        return self.gives_keys and self.content() is not None and any(self.looks.shown(at) not in run for at in self.items)

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


class Looks:
    def __init__(self):
        # Answers since anything happened: numbers of objects → questions → what they showed, and the things in it.
        self.seen = {}
        # Numbers of objects that came anew in place of others → the numbers of these.
        self.stands_for = {}
        # What objects have shown of their contents since the code was last called, by their numbers; that of iterators, by the look.
        self.contents = {}
        # Whether a method is called that changes nothing.
        self.is_looking = False
        # Of iterators of the code: what they have given, and the numbers of the objects through which they go.
        self.runs, self.owners = {}, {}

    def show(self, value, shows_numbers=False):
        """What can be compared of a value, and the objects and iterators of the code in it."""
        if type(value) in SCALARS_AND_BYTES:
            return self.short(repr(value)), ()
        writer = Shower(self, shows_numbers)
        with Deep():
            return self.short(repr(writer.write(value))), writer.things

    def shown(self, value):
        return self.show(value)[0]

    @staticmethod
    def short(text):
        return text if len(text) <= LONGEST_SHOWN else (len(text), hash(text))

    def number_of(self, thing):
        """The number of an object; of one that came in place of another, the number of that."""
        return self.stands_for.get(thing._isopod_number, thing._isopod_number)

    def end_looks(self, name, args):
        """Takes note that a question may change something."""
        if name not in ITERATES:
            self.check_contents()
            return
        # What goes through the items of an object may change that, as a reader its position.
        owner = self.owners.get(args[0]._isopod_number) if name in ('next', 'anext') else self.number_of(args[0])
        if owner is None:
            self.seen.clear()
        else:
            self.seen.pop(owner, None)

    def compare(self, name, args, value):
        """Notices an answer that changes although nothing has happened: each comparison would see another value."""
        if name not in PEEKS:
            return
        owner, rest = (None, args) if name == 'name' else (self.number_of(args[0]), args[1:])
        look = name, self.show(rest, True)[0]
        shown, things = self.show(value)
        first_shown, *first = self.seen.setdefault(owner, {}).setdefault(look, (shown, self.asked, things))
        if first_shown != shown:
            unverified(self, f'an answer to {name} changed although nothing happened')
        self.match(*first, things)
        for place, (one, other) in enumerate(zip(first[1], things)):
            if type(one) is type(other) is RemoteIterator:
                self.note_given(other, one, (owner, look, place))

    def match(self, asked, before, now):
        """Objects that come anew stand for those that came with an earlier question, so that they have to show the same."""
        for one, other in zip(before, now):
            if type(one) is RemoteIterator or type(other) is RemoteIterator or self.number_of(one) == self.number_of(other):
                continue
            if self.first_seen.get(other._isopod_number, 0) <= asked:
                unverified(self, f'another {other._isopod_name} is at the same place although nothing happened')
            self.stands_for[other._isopod_number] = self.number_of(one)

    def note_given(self, iterator, first, place):
        """Has the iterators that one look gives be compared with one another."""
        content = self.contents.setdefault(place, Shown(self))
        is_first = iterator is first or not content.runs
        if is_first or iterator._remote._isopod_number != first._remote._isopod_number:
            self.note_run(iterator, content.begin(), place[0])
        else:
            iterator._run = first._run

    def note_content(self, name, args, value):
        """Takes note of what an object shows of its content: its length, an item, some of them, or its plain value."""
        if name not in ('len', 'item', 'plain') or about(args[0]) is None:
            return
        if args[0]._isopod_kind == 'class' and name != 'len':
            return
        content = self.content_of(args[0])
        if name == 'len':
            content.length = value if type(value) is int and 0 <= value <= sys.maxsize else None
        elif name == 'plain':
            content.note_plain(value)
        elif type(args[1]) in (int, str):
            content.items[args[1]], things = self.show(value)
            if type(args[1]) is int and args[1] >= 0 and not content.is_mapping and not content.gives_keys:
                content.match(args[1], things)
        elif type(args[1]) is slice and is_of_indexes(args[1]):
            if about(value) is not None:
                content.slices.append((args[1], self.content_of(value)))
            elif isinstance(value, collections.abc.Sequence) or type(value).__module__ == 'numpy' and getattr(value, 'ndim', 0):
                content.slices.append((args[1], [self.shown(each) for each in value]))

    def note_run(self, iterator, run, owner):
        """Has an iterator of the code tell in a run what it gives."""
        if type(iterator) is RemoteIterator:
            iterator._run = run
        elif about(iterator) is not None:
            self.runs[iterator._isopod_number] = run
        else:
            return
        self.owners[getattr(iterator, '_remote', iterator)._isopod_number] = owner

    def run_of(self, iterator):
        """The run of an iterator of one of the code's own classes."""
        return self.runs.get(iterator._isopod_number) or Run()

    def content_of(self, thing):
        number = self.number_of(thing)
        if number not in self.contents:
            self.contents[number] = Shown(self, thing)
        return self.contents[number]

    def check_contents(self):
        """Notices objects that show one content when they are iterated, and another one when they are asked for their length or an item."""
        if any(each.differs() for each in self.contents.values()):
            self.doubt = self.doubt or 'an object shows one content to some questions, and another one to others'
        for each in self.seen, self.stands_for, self.contents, self.runs, self.owners:
            each.clear()
