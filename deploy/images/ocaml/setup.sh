# The compiler's own modules as a library, byte code and manuals: no program needs them.
rm -rf "$(ocamlc -where)/compiler-libs" /usr/bin/ocaml*.byte /usr/bin/ocamldoc* /usr/bin/ocamldebug
