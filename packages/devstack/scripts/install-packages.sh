#!/bin/sh
# Installs Debian packages without starting their services: install-packages.sh PACKAGE... Waits for another apt-get. Needs root.
set -eu
policy=/usr/sbin/policy-rc.d
mark='# Put here by isopod while it installs packages, and removed right after.'

# One at a time, by a lock on the file's folder: otherwise the first to end removes the file that the others still need.
exec 9< "${policy%/*}"
flock 9

# A package's script asks this file before it starts a service. A file with our mark was left by a set-up that was killed; any
# other one belongs to the administrator, and stays.
if [ ! -e "$policy" ] || grep -qxF "$mark" "$policy"; then
  trap 'rm -f "$policy"' EXIT
  # A signal ends this script only after apt-get: until then the file must stay.
  trap : HUP INT TERM
  printf '#!/bin/sh\n%s\nexit 101\n' "$mark" | install -m 755 /dev/stdin "$policy"
fi
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -q \
  -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 "$@" 9>&-
