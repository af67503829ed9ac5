"""Attributes by names that the code may have given: some lead to the judge, and to what the script judges with."""
import operator

# Attributes of texts that format, and the built-in function that lists names.
FORMATTING = {'format', 'format_map'}


def guard_attributes(judge, tree, names):
    """Lets the script get and set no hidden attribute by a name that is no literal of it, and that it has not listed itself."""
    own = {node.value for node in ast.walk(tree) if type(node) is ast.Constant and type(node.value) is str}
    listed = set()

    def check(thing, name):
        if type(name) is not str or name in own or name in listed and judge.answering == 0:
            is_hidden = False
        else:
            is_hidden = name[:1] == '_' or name[:3] in ('gi_', 'cr_', 'ag_', 'tb_', 'co_') or name[:2] == 'f_'
        if is_hidden or name in FORMATTING and (thing is None or isinstance(thing, str) or thing is str):
            unverified(judge, f'the code could choose {name}, by which the script looks into an object')

    def guarded(access):
        def call(thing, name, *rest):
            check(thing, name)
            # Of an object of the script, the code would decide what a method says.
            is_method = access is setattr and judge.answering and callable(getattr(thing, name, None))
            if is_method and about(thing) is None and name not in own:
                unverified(judge, f'the code could replace the method {name} of an object of the script')
            return access(thing, name, *rest)
        call.__name__ = call.__qualname__ = access.__name__
        return call

    def listing(*args):
        found = dir(*args) if args else sorted(sys._getframe(1).f_locals)
        listed.update(found)
        return found

    def of_paths(*paths):
        for path in paths:
            for name in path.split('.') if type(path) is str else ():
                check(None, name)
        return attrgetter(*paths)

    def of_name(name, /, *args, **kwargs):
        check(None, name)
        return methodcaller(name, *args, **kwargs)
    attrgetter, methodcaller = operator.attrgetter, operator.methodcaller
    operator.attrgetter, operator.methodcaller = of_paths, of_name
    names.update({access.__name__: guarded(access) for access in (getattr, setattr, delattr)}, dir=listing)


def refuse_given_annotations(judge, tree):
    """Has the script give no class annotations: their names would become text of the methods of a data class."""
    for node in ast.walk(tree):
        is_set = isinstance(node, ast.Attribute) and node.attr == '__annotations__' and isinstance(node.ctx, ast.Store)
        if is_set or isinstance(node, ast.Constant) and node.value == '__annotations__':
            unverified(judge, 'names in annotations that a script sets would run in the process of the judge')
