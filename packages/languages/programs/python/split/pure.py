"""Evaluates what a script does without the code, before the script does it."""
import ast
import builtins
import collections
from _signal import ITIMER_VIRTUAL, SIGVTALRM, setitimer, signal

# Meanwhile the code waits.
MAX_SECONDS = 0.05
# Of all arguments.
MAX_ITEMS = 10_000
# Built-in functions, and functions of modules, that change nothing and ask nothing if they get plain values.
PLAIN_FUNCTIONS = set('''
    abs all any bin bool bytes chr complex dict divmod enumerate float frozenset hex int isinstance len list max min oct ord
    pow range reversed round set sorted str sum tuple type zip
'''.split())
PLAIN_MODULES = {'math', 'cmath'}
# Modules that change nothing but a generator of random numbers, and of these the ones whose attributes stay the same.
PURE_MODULES = PLAIN_MODULES | {'copy', 'random', 'string'}
CONSTANT_MODULES = PLAIN_MODULES | {'string'}
# Without a seed, these take one from the system; this takes every number from it.
TAKING_SEEDS, SYSTEM_RANDOM = {'seed', 'Random'}, 'SystemRandom'
# One call of these can take long.
SLOW = {'comb', 'factorial', 'perm', 'pow'}
PURE_NODES = {getattr(ast, name) for name in '''
    Constant Name Load Store List Tuple Set Dict UnaryOp BinOp BoolOp Compare IfExp Call keyword Attribute Subscript Slice
    ListComp SetComp DictComp GeneratorExp comprehension JoinedStr FormattedValue
    And Or Not Invert UAdd USub Add Sub Mult MatMult Div Mod RShift BitOr BitXor BitAnd FloorDiv
    Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
    Assign AugAssign Expr If For Pass Break Continue
'''.split()}
# These give iterators, and these use iterators up.
LAZY = {'enumerate', 'reversed', 'zip'}
CONSUMING = LAZY | set('all any bytes dict frozenset list max min set sorted sum tuple'.split())
# Larger numbers can make one call of a built-in function take long, which nothing interrupts.
MAX_NUMBER = 100_000
MODULE = type(ast)
PLAIN_BUILTINS = {name: getattr(builtins, name) for name in PLAIN_FUNCTIONS}
CONTAINERS = {list, tuple, dict, set, frozenset, collections.deque}


class Unforeseen(Exception):
    """The next part of the script depends on answers of the code, takes time, or has a form that is not known to be harmless."""


class Scratch:
    """The variables of a script as they will be, as far as they do not depend on the code. The script itself sees nothing of it."""

    def __init__(self, taken):
        # Names that the script may not bind anew: those of the code, and of functions of the script.
        self.taken = set(taken)
        self.values, self.answers = {}, {}
        # Containers that were passed to the code, which may change them, by their ids.
        self.passed = {}
        self.names, self.programs, self.random, self.handler = {}, {}, None, None

    def start(self):
        """Ends the reading with Unforeseen after some processor time."""
        self.handler = signal(SIGVTALRM, ended_reading)
        setitimer(ITIMER_VIRTUAL, MAX_SECONDS)

    def leave(self):
        """Stops the timer, and gives the script the random numbers that it would have had."""
        setitimer(ITIMER_VIRTUAL, 0)
        signal(SIGVTALRM, self.handler)
        if self.random is not None:
            module, state = self.random
            module.setstate(state)

    def is_plain(self, name):
        """Whether a name is that of a built-in function that changes nothing."""
        return name in PLAIN_FUNCTIONS and not (name in self.taken or name in self.values or name in self.answers)

    def is_pure(self, node):
        """Whether a statement or an expression neither asks the code nor depends on its answers, nor changes the system."""
        if node not in self.names:
            self.names[node] = names_of(node)
        names = self.names[node]
        if names is None or not self.taken.isdisjoint(names.stores):
            return False
        if not all(self.is_constant_module(each) for each in names.constants):
            return False
        if not all(each in names.stores or self.is_known(each, each in names.bare) for each in names.loads):
            return False
        return not (self.passed and any(self.holds_passed(self.values.get(each)) for each in names.loads))

    def is_known(self, name, is_bare):
        if self.is_plain(name):
            return True
        return name in self.values and (not is_bare or is_steady(self.values[name]))

    def is_constant_module(self, name):
        module = self.values.get(name)
        return type(module) is MODULE and module.__name__ in CONSTANT_MODULES

    def holds_passed(self, value):
        """Whether a value is, or has in it, a container that the code may have changed."""
        if type(value) not in CONTAINERS:
            return False
        parts = shallow(value)
        if len(parts) > MAX_ITEMS:
            raise Unforeseen
        return id(value) in self.passed or any(self.holds_passed(each) for each in parts)

    def run(self, statement):
        """Runs a pure statement."""
        if statement not in self.programs:
            self.programs[statement] = compile(ast.Module([statement], []), 'script', 'exec')
        exec(self.programs[statement], self.variables())
        for name in self.names[statement].stores & self.values.keys():
            self.answers.pop(name, None)

    def evaluate(self, expression):
        if type(expression) is ast.Constant:
            return expression.value
        if expression not in self.programs:
            self.programs[expression] = compile(ast.Expression(expression), 'script', 'eval')
        return eval(self.programs[expression], self.variables())

    def variables(self):
        self.values['__builtins__'] = PLAIN_BUILTINS
        return self.values

    def bind(self, target, value):
        if type(target) is ast.Tuple:
            for each, part in zip(target.elts, value, strict=True):
                self.bind(each, part)
        elif type(target) is ast.Name and target.id not in self.taken:
            self.values[target.id] = value
            self.answers.pop(target.id, None)
        else:
            raise Unforeseen

    def bind_answer(self, target, number):
        if type(target) is not ast.Name or number is None:
            raise Unforeseen
        self.bind(target, None)
        del self.values[target.id]
        self.answers[target.id] = number

    def bind_module(self, name, module, attribute=None):
        # The code may have imported it, too.
        self.taken.discard(name)
        if module.__name__ == 'random' and self.random is None:
            self.random = module, module.getstate()
        if attribute in (*TAKING_SEEDS, SYSTEM_RANDOM):
            raise Unforeseen
        self.bind(ast.Name(name), module if attribute is None else getattr(module, attribute))

    def is_plain_module(self, name):
        module = self.values.get(name)
        return type(module) is MODULE and module.__name__ in PLAIN_MODULES

    def is_copying(self, function):
        """Whether an expression is `copy.copy` or `copy.deepcopy`."""
        module = self.values.get(getattr(getattr(function, 'value', None), 'id', None))
        return type(module) is MODULE and module.__name__ == 'copy' and function.attr in ('copy', 'deepcopy')

    def pass_on(self, value):
        """Takes note of an argument. What is passed twice would be known to the code the second time."""
        kind = type(value)
        if kind in SCALARS_AND_BYTES:
            return value
        # The order of items depends on how a set was made, so the question would differ.
        if kind not in (list, tuple, dict) or id(value) in self.passed or len(self.passed) == MAX_ITEMS:
            raise Unforeseen
        if kind is not tuple:
            self.passed[id(value)] = value
        for each in shallow(value):
            self.pass_on(each)
        return value


def names_of(node):
    """How a node uses names; None if its form is not known to be pure."""
    try:
        return UsedNames(node)
    except Unforeseen:
        return None


class UsedNames:
    """
    The names in a pure node: those that it reads; those that it binds; those that it uses in any way besides a call of them or of
    their methods; those of which it reads an attribute without calling it.
    """

    def __init__(self, node):
        self.loads, self.stores, self.bare, self.constants = set(), set(), set(), set()
        self.node, self.called, self.used_up = node, set(), set()
        self.has_large_number, self.computes = False, False
        # A loop over a set display has another order: the compiler makes a frozenset of it. A generator runs between the calls.
        require(type(node) not in (ast.Set, ast.GeneratorExp))
        for each in ast.walk(node):
            require(type(each) in PURE_NODES)
            rule = RULES.get(type(each))
            if rule is not None:
                rule(self, each)
        require(not (self.has_large_number and self.computes))

    def name(self, node):
        (self.loads if type(node.ctx) is ast.Load else self.stores).add(node.id)
        if node not in self.called:
            self.bare.add(node.id)

    def constant(self, node):
        self.has_large_number |= type(node.value) in (int, float) and abs(node.value) > MAX_NUMBER

    def operation(self, _):
        self.computes = True

    def change(self, node):
        if type(node.target) is ast.Name:
            self.loads.add(node.target.id)

    def comparison(self, node):
        # Other objects may be the same one only here.
        require(all(type(op) not in (ast.Is, ast.IsNot) or type(getattr(right, 'value', 0)) in (type(None), bool)
                    for op, right in zip(node.ops, node.comparators)))

    def loop(self, node):
        self.used_up.add(node.iter)

    def generator(self, node):
        require(node in self.used_up)

    def call(self, node):
        self.computes = True
        function = node.func
        name = getattr(function, 'id', None) or getattr(function, 'attr', None)
        seed = getattr(node.args[0] if node.args else None, 'value', None)
        require(name not in SLOW and not (name in TAKING_SEEDS and seed is None))
        if name in CONSUMING or name == 'join':
            self.used_up.update(node.args)
        is_lazy = name in LAZY or type(function) not in (ast.Name, ast.Attribute)
        require(not is_lazy or node in self.used_up or node is self.node)
        self.called.add(function)

    def attribute(self, node):
        require(node.attr[0] != '_' and node.attr != SYSTEM_RANDOM and type(node.ctx) is ast.Load)
        if node in self.called:
            self.called.add(node.value)
        else:
            require(type(node.value) is ast.Name and node.attr not in TAKING_SEEDS)
            self.constants.add(node.value.id)


RULES = {
    ast.Name: UsedNames.name, ast.Constant: UsedNames.constant, ast.BinOp: UsedNames.operation, ast.AugAssign: UsedNames.change,
    ast.Compare: UsedNames.comparison, ast.For: UsedNames.loop, ast.comprehension: UsedNames.loop,
    ast.GeneratorExp: UsedNames.generator, ast.Call: UsedNames.call, ast.Attribute: UsedNames.attribute,
}


def require(holds):
    if not holds:
        raise Unforeseen


def is_steady(value):
    """Whether a value is the same each time it is read, unlike an iterator, and its text has no address in memory."""
    kind = type(value)
    return kind in SCALARS_AND_BYTES or kind in CONTAINERS or kind is range or kind is MODULE


def ended_reading(*_):
    raise Unforeseen
