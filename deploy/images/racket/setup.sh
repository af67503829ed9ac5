# Manuals and games: no program needs them.
rm -rf /usr/share/doc/racket /usr/share/racket/pkgs/*-doc /usr/share/racket/pkgs/games
