"""The calls that a script makes in any case, so that their questions can be sent together."""

MAX_SCRIPT_CHARACTERS, MAX_FORESEEN_CALLS = 1 << 14, 500
# Expressions that evaluate all of their parts in this order, and nothing else.
PARTS = {
    ast.List: lambda node: node.elts,
    ast.Tuple: lambda node: node.elts,
    ast.Set: lambda node: node.elts,
    ast.Dict: lambda node: (part for pair in zip(node.keys, node.values) for part in pair),
    ast.UnaryOp: lambda node: (node.operand,),
    ast.BinOp: lambda node: (node.left, node.right),
    ast.Subscript: lambda node: (node.value, node.slice),
    ast.Slice: lambda node: filter(None, (node.lower, node.upper, node.step)),
}


class Answer:
    """Stands for the answer to an earlier call, as an argument of a later one."""

    def __init__(self, distance):
        self.distance = distance


class CallsAhead:
    """
    Reads a script from its beginning, as long as it calls functions of the code with values that do not depend on the code, or
    with the answers as they are, and only compares what they give. So nothing but these calls happens in between, if the answers
    are plain values.
    """

    def __init__(self, names, note):
        self.of_code = {name: it for name, it in names.given.items() if about(it) is not None and names.get(name) is it}
        self.scratch, self.functions = Scratch(names.given), {}
        # Of the function that is called: functions of the code by the names of its parameters.
        self.parameters = {}
        # Takes a call: the function of the code, its arguments and its named arguments.
        self.note, self.count = note, 0

    def read(self, tree):
        try:
            self.scratch.start()
            for statement in tree.body:
                self.statement(statement)
        except Exception:
            # Whatever ends the reading, the script is run as it is.
            pass
        try:
            self.scratch.leave()
        except Unforeseen:
            # The time ended just now, which it does once.
            self.scratch.leave()

    def statement(self, node):
        kind = type(node)
        if kind is ast.FunctionDef:
            self.define(node)
        elif kind is ast.Expr and type(node.value) is ast.Call and getattr(node.value.func, 'id', None) in self.functions:
            self.check(node.value)
        else:
            self.step(node)

    def define(self, node):
        """Reads the definition of a function. Its body is read at each call."""
        takes = node.args
        annotated = node.returns or any(each.annotation for each in takes.args)
        others = takes.posonlyargs or takes.kwonlyargs or takes.vararg or takes.kwarg or takes.defaults
        if node.name in self.scratch.taken or node.decorator_list or annotated or others:
            raise Unforeseen
        self.scratch.taken.add(node.name)
        self.functions[node.name] = node

    def check(self, call):
        """Reads a call of a function of the script whose arguments are functions of the code: `check(add)`."""
        function, scratch = self.functions[call.func.id], self.scratch
        names = [each.arg for each in function.args.args]
        given = [self.of_code.get(getattr(each, 'id', None)) for each in call.args]
        if call.keywords or len(given) != len(names) or None in given:
            raise Unforeseen
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(function)):
            raise Unforeseen
        outer = scratch.values, scratch.answers, scratch.taken
        scratch.values, scratch.answers, scratch.taken = dict(outer[0]), dict(outer[1]), outer[2].union(names)
        for name in names:
            scratch.values.pop(name, None)
            scratch.answers.pop(name, None)
        self.parameters = dict(zip(names, given))
        for statement in function.body:
            self.step(statement)
        self.parameters = {}
        scratch.values, scratch.answers, scratch.taken = outer

    def step(self, node):
        kind = type(node)
        if kind is ast.Assert:
            self.expression(node.test)
            self.without_calls(node.msg)
        elif kind is ast.Import or kind is ast.ImportFrom:
            self.import_(node)
        elif self.scratch.is_pure(node):
            self.scratch.run(node)
        elif kind is ast.For and not node.orelse and self.scratch.is_pure(node.iter):
            sources = [self.scratch.values.get(name) for name in self.scratch.names[node.iter].loads]
            for item in self.scratch.evaluate(node.iter):
                if any(id(each) in self.scratch.passed for each in sources):
                    # The code may have changed what follows.
                    raise Unforeseen
                self.scratch.bind(node.target, item)
                for statement in node.body:
                    self.step(statement)
        elif kind is ast.Assign and len(node.targets) == 1 and type(node.value) is ast.Call:
            self.scratch.bind_answer(node.targets[0], self.call(node.value))
        else:
            raise Unforeseen

    def import_(self, node):
        modules = [each.name for each in node.names] if type(node) is ast.Import else [node.module]
        # An import between calls takes time, which the code can measure.
        if self.count or not MODULES.issuperset(modules) or node.names[0].name == '*':
            raise Unforeseen
        for each in node.names:
            name = each.asname or each.name
            if type(node) is ast.Import:
                self.import_name(name, each.name)
            else:
                self.import_name(name, node.module, each.name)

    def import_name(self, name, module, attribute=None):
        if name in self.of_code or name in self.functions or name in self.parameters:
            raise Unforeseen
        # The functions of other modules may do anything.
        if module in PURE_MODULES:
            self.scratch.bind_module(name, __import__(module), attribute)
        else:
            self.scratch.taken.add(name)

    def expression(self, node):
        """Reads an expression in the order of its evaluation."""
        kind, scratch = type(node), self.scratch
        if scratch.is_pure(node):
            # A call can take random numbers.
            if any(type(each) is ast.Call for each in ast.walk(node)):
                scratch.evaluate(node)
        elif kind is ast.Call:
            self.call(node)
        elif kind is ast.Name:
            if node.id not in scratch.answers:
                raise Unforeseen
        elif kind is ast.Compare:
            # What follows the second value is evaluated only if that decides nothing.
            self.expression(node.left)
            self.expression(node.comparators[0])
            self.without_calls(*node.comparators[1:])
        elif kind is ast.BoolOp:
            self.expression(node.values[0])
            self.without_calls(*node.values[1:])
        elif kind in PARTS:
            for part in PARTS[kind](node):
                self.expression(part)
        else:
            raise Unforeseen

    def without_calls(self, *nodes):
        """Reads expressions that need not be evaluated."""
        for node in filter(None, nodes):
            for each in ast.walk(node):
                if type(each) is ast.Call and not self.scratch.is_plain(getattr(each.func, 'id', None)):
                    raise Unforeseen
                if type(each) is ast.Name and (each.id in self.scratch.taken or each.id not in self.scratch.answers and not (
                        each.id in self.scratch.values or self.scratch.is_plain(each.id))):
                    raise Unforeseen

    def call(self, node):
        """Reads a call. Returns its number; None if the function is not one of the code."""
        scratch, name = self.scratch, getattr(node.func, 'id', None)
        of_module = type(node.func) is ast.Attribute and scratch.is_plain_module(getattr(node.func.value, 'id', None))
        if of_module or scratch.is_plain(name):
            for part in (*node.args, *(each.value for each in node.keywords)):
                self.expression(part)
            return None
        function = self.parameters.get(name) or self.of_code.get(name)
        if function is None or self.count == MAX_FORESEEN_CALLS or any(each.arg is None for each in node.keywords):
            raise Unforeseen
        args = [self.argument(each) for each in node.args]
        self.note(function, args, {each.arg: self.argument(each.value) for each in node.keywords})
        self.count += 1
        return self.count

    def argument(self, node):
        scratch = self.scratch
        if type(node) is ast.Call and len(node.args) == 1 and scratch.is_copying(node.func):
            # Only scalars are passed on.
            is_answer = getattr(node.args[0], 'id', None) in scratch.answers
            node = node.args[0] if is_answer else node
        if type(node) is ast.Name and node.id in scratch.answers:
            distance = self.count + 1 - scratch.answers[node.id]
            if distance > MAX_ANSWERS:
                raise Unforeseen
            return Answer(distance)
        if type(node) is ast.Starred or not scratch.is_pure(node):
            raise Unforeseen
        return scratch.pass_on(scratch.evaluate(node))
