#!/bin/sh
# Compiles the harness with sanitizers: build.sh replay|fuzzer OUTPUT. "replay" takes gcc or clang, "fuzzer" clang.
set -eu
kind=$1 output=$2
cd "$(dirname "$0")"
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
checks="-fsanitize=address,undefined -fno-sanitize-recover=all"
case $kind in
  fuzzer) cc=${CC:-clang} own="$checks -fsanitize=fuzzer-no-link" main=fuzzer.c link=-fsanitize=fuzzer ;;
  replay) cc=${CC:-cc} own=$checks main=replay.c link= ;;
  *) exit 2 ;;
esac
command -v "$cc" >/dev/null || { echo "build.sh: no compiler $cc; Debian's package clang has libFuzzer, too" >&2; exit 1; }
# The doubled return of fork() is of no concern to variables that stay as they are in between.
flags="-std=gnu17 -O1 -g -fno-omit-frame-pointer -Wall -Wextra -Werror -Wno-unknown-warning-option -Wno-clobbered -D_GNU_SOURCE="
for source in $(find ../native -name '*.c' | LC_ALL=C sort); do
  name=$(basename "$source")
  case $name in
    # What runs after the fork, or acts on the namespace as a whole: the harness has its own.
    child.c | hide_init.c | oom_score.c | seccomp.c | install.c | ipc.c) ;;
    *) $cc $flags $own -I../native -include harness/seams.h -c -o "$objects/$name.o" "$source" ;;
  esac
done
ld -r -T state.ld -o "$objects/native" "$objects"/*.o
# Without coverage: what the harness does is not a discovery.
for source in host.c sender.c sink.c ledger.c program.c net.c dial.c files.c target.c $main; do
  $cc $flags $checks -I../native -c -o "$objects/harness-$source.o" "harness/$source"
done
$cc $checks $link -o "$output" "$objects/native" "$objects"/harness-*.o
