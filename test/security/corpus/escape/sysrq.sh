# `h` only prints help to the kernel's log, but a program that may write it may also write `b`, which reboots.
for path in /proc/sysrq-trigger /proc/self/root/proc/sysrq-trigger /proc/thread-self/root/proc/sysrq-trigger; do
  { echo h > "$path" && echo "ESCAPED: wrote $path"; } 2>/dev/null
done
exit 0
