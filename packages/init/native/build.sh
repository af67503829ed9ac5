#!/bin/sh
# Compiles init or the probe: build.sh OUTPUT [SOURCES]. The result is reproducible: the flags are fixed, and it contains
# nothing of the build machine.
set -eu
output=$1
cd "${2:-$(dirname "$0")}"
find . -name '*.c' | LC_ALL=C sort | xargs ${CC:-cc} -std=gnu17 -static -Os -Wall -Wextra -Werror -D_FORTIFY_SOURCE=2 \
  -fstack-protector-strong -ffunction-sections -fdata-sections -Wl,--gc-sections,--build-id=none,-z,relro,-z,now -s \
  -I. -o "$output.new"
mv "$output.new" "$output"
