#!/bin/sh
# Installs Debian packages without starting their services: install-packages.sh PACKAGE... Waits for another apt-get. Needs root.
set -eu
policy=/usr/sbin/policy-rc.d
mark='# Put here by isopod while it installs packages, and removed right after.'

# Scripts of packages ask this file before they start a service. A file with our mark was left by a killed set-up; any other is
# the administrator's, and stays.
if [ ! -e "$policy" ] || grep -qxF "$mark" "$policy"; then
  trap 'rm -f "$policy"' EXIT
  # After Ctrl-C, apt-get ends what it has begun, and only then may the file go.
  trap : HUP INT TERM
  printf '#!/bin/sh\n%s\nexit 101\n' "$mark" | install -m 755 /dev/stdin "$policy"
fi
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -q \
  -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 "$@"
