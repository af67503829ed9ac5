"""What objects of the code show to questions that change nothing. It must not contradict itself."""
import collections
import collections.abc
import itertools
import numbers
import sys
import types

# Iterators of one object, and items of one iterator, that are remembered.
MAX_RUNS, MAX_RUN_ITEMS = 20, 10_000
# Characters of an answer that are remembered; of a longer one it is the hash.
LONGEST_SHOWN = 500
# Questions that change nothing.
LOOKS = set('get item len str repr bool int float complex index format contains lt le gt ge hash instance subclass name'.split())
# Those that end no comparison of what objects show, and whose answers are compared.
PEEKS = LOOKS | {'plain', 'eq', 'ne', 'copy', 'deepcopy', 'dir', 'asdict', 'astuple', 'fields', 'replace'}
# Questions that go through the items of something.
ITERATES = {'iter', 'next', 'reversed', 'aiter', 'anext'}
# Those that also change nothing that the script holds.
SILENT = LOOKS - {'name'} | {'eq', 'ne', 'plain', 'iter', 'reversed'}


class Shower(Writer):
    """Writes values for a comparison: those that a script cannot tell apart are one text. Collects what is of the code in them."""

    def __init__(self, looks, shows_numbers=False):
        super().__init__(self.stand_in)
        self.looks, self.shows_numbers = looks, shows_numbers
        # Objects and iterators, in the order of the text.
        self.things = []

    def write(self, value):
        if type(value) not in (set, frozenset):
            return super().write(value)
        outer, shown = self.things, []
        for each in value:
            self.things = []
            shown.append((repr(self.write(each)), self.things))
        shown.sort(key=lambda each: each[0])
        # Which of two that look the same is which, is not known.
        counts = collections.Counter(text for text, _ in shown)
        self.things = outer + [each for text, things in shown if counts[text] == 1 for each in things]
        return [type(value).__name__, *(text for text, _ in shown)]

    def stand_in(self, _, thing):
        if type(thing) is RemoteIterator:
            self.things.append(thing)
            return ['iterator']
        known = about(thing)
        remote = getattr(thing, '__dict__', {}).get('_remote') if known is None else known
        if remote is not None:
            self.things.append(remote)
        if isinstance(thing, (tuple, BaseException)) and known is None:
            return [type(thing).__name__, *self.each(thing if isinstance(thing, tuple) else thing.args)]
        if known is None:
            # Kept, so that no other one gets its id.
            self.looks.kept.append(thing)
            return [type(thing).__name__, None if isinstance(thing, types.CoroutineType) else id(thing)]
        if self.shows_numbers or known._isopod_kind == 'class':
            return ['number', self.looks.number_of(known)]
        shows_fields = known._isopod_rule in ('fields', 'member')
        return ['object', known._isopod_kind, self.write(known._isopod_fields) if shows_fields else None, *self.each(known._isopod_plain)]


def is_of_indexes(part):
    """Whether a slice is one of a sequence."""
    return all(type(each) in (int, type(None)) for each in (part.start, part.stop, part.step)) and part.step != 0


def places_of(part, length):
    """The places of the items in a slice; none if they depend on a length that is not known."""
    if length is not None:
        return range(length)[part]
    is_forward = (part.start or 0) >= 0 and (part.step or 1) > 0
    return itertools.count(part.start or 0, part.step or 1) if is_forward else ()


class Run:
    """The items that an iterator has given, and whether that were all."""

    def __init__(self, content=None, is_backward=False):
        self.content, self.is_backward = content, is_backward
        # The items, of further ones a hash, and what is of the code in those of a backward run.
        self.items, self.rest, self.things = [], 0, []
        self.count, self.is_over = 0, False

    def add(self, shown, things=()):
        if self.count >= MAX_RUN_ITEMS:
            self.rest = hash((self.rest, shown))
        else:
            self.items.append(shown)
            if self.is_backward and self.content.told_lengths:
                self.content.match(max(self.content.told_lengths) - 1 - self.count, things)
            elif self.is_backward:
                self.things.append(things)
            elif self.content is not None:
                self.content.match(self.count, things)
        self.count += 1

    def end(self):
        self.is_over = True
        for place, things in enumerate(self.things[::-1] if self.count == len(self.things) else ()):
            self.content.match(place, things)

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
        self.is_sequence = isinstance(thing, (list, tuple, str, bytes, bytearray, collections.deque))
        # Its lengths, items by their keys, and slices with their parts; what a mapping holds.
        self.told_lengths, self.items, self.slices, self.mappings = set(), {}, [], []
        # The runs of iterators; those from the end; the items of sets, which have no order.
        self.runs, self.backward, self.members = [], [], []
        # Objects among the items, by their places.
        self.things = {}
        # Numbers that are no index; whether it said that something is not in it, and nothing could confirm that.
        self.ends, self.denies = set(), False
        # Whether a plain value has more items than are remembered; whether what is no longer remembered has differed.
        self.is_known_in_part = False
        self.differed = False
        for plain in thing._isopod_plain if thing is not None else ():
            self.note_plain(plain)

    def note_plain(self, plain):
        """Takes note of the value of an object whose class is derived from a built-in one."""
        if isinstance(plain, dict):
            self.is_mapping = True
            self.mappings.append({key: self.looks.shown(value) for key, value in plain.items() if type(key) in (int, str)})
        if isinstance(plain, (set, frozenset)):
            self.members.append(sorted(repr(self.looks.shown(each)) for each in plain))
        elif isinstance(plain, (list, tuple, str, bytes, bytearray, dict, collections.deque)):
            run = self.begin()
            for item in itertools.islice(plain, MAX_RUN_ITEMS):
                run.add(*self.looks.show(item))
            run.count, run.is_over = len(plain), True
            self.is_known_in_part = self.is_known_in_part or len(plain) > MAX_RUN_ITEMS

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
        self.backward.append(Run(self, True))
        return self.backward[-1]

    def lengths(self):
        """How many items there are: by its length, by iterators, and by an index behind all others."""
        found = {run.count for run in self.runs + self.backward if run.is_over} | {len(each) for each in self.members}
        found |= self.told_lengths
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
        rests = {run.rest for run in self.runs if run.is_over and run.rest}
        if len(rests) > 1 and not self.is_known_in_part or self.differs_by_place(lengths):
            return True
        if any(each.get(key, item) != item for each in self.mappings for key, item in self.items.items()):
            return True
        if any(run != longest[:len(run)] for run in runs) or any(self.differs_from(each, longest) for each in self.members):
            return True
        length = max(lengths, default=None)
        return self.differs_by_index(longest, length) or any(self.differs_in(part, shown, longest, length) for part, shown in self.slices)

    def differs_by_place(self, lengths):
        """Whether two looks at one place have shown different items."""
        length, known = max(lengths, default=None), {}
        if length is not None:
            for run in self.backward:
                known.update({length - 1 - at: item for at, item in enumerate(run.items)})
        for part, shown in self.slices:
            items = dict(enumerate(shown if type(shown) is list else shown.content() or ()))
            if type(shown) is not list:
                items.update((at, item) for at, item in shown.items.items() if type(at) is int and at >= 0)
            places = itertools.islice(places_of(part, length), max(items, default=-1) + 1)
            if any(known.setdefault(at, items[number]) != items[number] for number, at in enumerate(places) if number in items):
                return True
        given = {} if self.is_mapping or self.gives_keys else {at: item for at, item in self.items.items() if type(at) is int}
        for at, item in given.items():
            place = at if at >= 0 else None if length is None else at + length
            if known.setdefault(place, item) != item and place is not None:
                return True
        longest = max((run.items for run in self.runs), key=len, default=()) if self.is_sequence or not given else ()
        return any(known.get(at, item) != item for at, item in enumerate(longest))

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
        # Things of the script in what was looked at.
        self.kept = []
        # Whether a method is called that changes nothing.
        self.is_looking = False
        # Of iterators of the code: what they have given, and the numbers of the objects through which they go.
        self.runs, self.owners = {}, {}

    def show(self, value, shows_numbers=False):
        """What can be compared of a value, and the objects and iterators of the code in it."""
        if type(value) in SCALARS_AND_BYTES:
            # Python shows no number of very many digits.
            is_large = type(value) is int and not -SMALL < value < SMALL
            return self.short(hex(value) if is_large else repr(value)), ()
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
        # A generator runs on between two items; so does an object that is its own iterator, as a reader.
        if name in ('next', 'anext') and args[0]._isopod_number not in self.owners:
            self.seen.clear()

    def compare(self, name, args, value):
        """Notices an answer that changes although nothing has happened: each comparison would see another value."""
        if name not in PEEKS:
            return
        self.compare_shown(name, args, *self.show(value))
        if name == 'asdict' and len(args) == 1 and type(value) is dict:
            for key, each in value.items():
                if type(each) in SCALARS_AND_BYTES:
                    self.compare_shown('get', (args[0], key), *self.show(each))

    def compare_error(self, name, args, error):
        """Notices a look that fails once, and not another time."""
        if name in PEEKS:
            self.compare_shown(name, args, f'raises {type(error).__name__}', ())

    def compare_shown(self, name, args, shown, things):
        owner, rest = (None, args) if name == 'name' else (self.number_of(args[0]), args[1:])
        look = name, self.show(rest, True)[0]
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
            content.told_lengths.update([value] if type(value) is int and 0 <= value <= sys.maxsize else ())
        elif name == 'plain':
            content.note_plain(value)
        elif type(args[1]) is slice and is_of_indexes(args[1]):
            if about(value) is not None:
                content.slices.append((args[1], self.content_of(value)))
            elif isinstance(value, collections.abc.Sequence) or type(value).__module__ == 'numpy' and getattr(value, 'ndim', 0):
                shown = [self.show(each) for each in value]
                content.slices.append((args[1], [text for text, _ in shown]))
                for place, (_, things) in zip(places_of(args[1], max(content.lengths(), default=None)), shown):
                    content.match(place, things)
        elif type(args[1]) is str or isinstance(args[1], numbers.Integral) and about(args[1]) is None:
            key = args[1] if type(args[1]) is str else int(args[1])
            shown, things = self.show(value)
            self.note_item(content, key, shown)
            if type(key) is int and key >= 0 and not content.is_mapping and not content.gives_keys:
                content.match(key, things)

    def note_item(self, content, key, shown):
        """Notices an item that another question of the same meaning has shown otherwise."""
        if content.items.setdefault(key, shown) != shown:
            unverified(self, 'an item changed although nothing happened')

    def note_run(self, iterator, run, owner):
        """Has an iterator of the code tell in a run what it gives."""
        if type(iterator) is RemoteIterator:
            iterator._run = run
            number = iterator._remote._isopod_number
        elif about(iterator) is not None:
            number = iterator._isopod_number
            self.runs[number] = run
        else:
            return
        self.owners[number] = owner

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
        for each in self.seen, self.stands_for, self.contents, self.runs, self.owners, self.kept:
            each.clear()
