#!/bin/sh
# A compiler for build.sh. It compiles sources that are unchanged from $NATIVE only once, and keeps their objects in $OBJECTS.
set -eu
flags='' objects=''
while [ $# -gt 0 ]; do
  case $1 in
    -o)
      output=$2
      shift
      ;;
    *.c)
      object=$OBJECTS/$1.o
      cmp -s "$1" "$NATIVE/$1" || object=$1.o
      [ -e "$object" ] || $COMPILER $flags -c -o "$object" "$1"
      objects="$objects $object"
      ;;
    *) flags="$flags $1" ;;
  esac
  shift
done
exec $COMPILER $flags -o "$output" $objects
