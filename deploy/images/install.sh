#!/bin/sh
# Turns a base into a language image: installs PACKAGES, runs the language's setup.sh, removes what programs do not need, and
# checks the version. All capitals are build arguments.
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /tmp/isopod
# shellcheck disable=SC2086 # a list of words
# The base may have all of them; then no package list is needed.
if [ -n "$PACKAGES" ] && dpkg --status $PACKAGES > /dev/null 2>&1; then PACKAGES=; fi
if [ -n "$PACKAGES" ] || [ -e setup.sh ]; then apt-get update; fi
# shellcheck disable=SC2086
if [ -n "$PACKAGES" ]; then apt-get install -y --no-install-recommends $PACKAGES; fi
if [ -e setup.sh ]; then sh -eux setup.sh; fi
cd /
rm -rf /tmp/isopod
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*

# Debian moves on, but the tag must stay true.
pattern=$(printf %s "$VERSION" | sed 's/\./\\./g')
printed=$(sh -c "$VERSION_COMMAND" 2>&1)
if ! printf '%s\n' "$printed" | grep -Eq "(^|[^0-9.])$pattern([^0-9]|\$)"; then
  echo "$NAME: wanted version $VERSION, but \"$VERSION_COMMAND\" printed: $printed" >&2
  exit 1
fi

# No program needs to become another user.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +
# Names for the user ids that workers assign: programs ask for their own.
getent passwd 60000 > /dev/null || seq -f 'sandbox:x:%.0f:65534::/workspace:/usr/sbin/nologin' 60000 60255 >> /etc/passwd
