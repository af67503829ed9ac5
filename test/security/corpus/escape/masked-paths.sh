read -r _ marker
for path in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug /proc/locks /proc/interrupts /sys/firmware; do
  [ -e "$path" ] || continue
  umount "$path" && echo "ESCAPED: unmounted $path"
  rm -rf "$path" && echo "ESCAPED: removed $path"
  mv "$path" /tmp/moved && echo "ESCAPED: moved $path"
  [ -d "$path" ] && [ -n "$(ls -A "$path")" ] && echo "ESCAPED: $path has content"
  [ -f "$path" ] && [ -n "$(head -c 64 "$path")" ] && echo "ESCAPED: $path has content"
done 2>/dev/null
rm -f /dev/null 2>/tmp/why && echo 'ESCAPED: removed /dev/null'
mv /dev/null /dev/old 2>/tmp/why && echo 'ESCAPED: moved /dev/null'
ln -s /proc/sys/kernel/core_pattern /dev/null 2>/tmp/why && echo 'ESCAPED: replaced /dev/null'
echo "$marker" > /dev/null
exit 0
