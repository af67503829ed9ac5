# `h` only prints its help to the kernel's log; whoever may write that may also write `b`.
for path in /proc/sysrq-trigger /proc/self/root/proc/sysrq-trigger /proc/thread-self/root/proc/sysrq-trigger; do
  { echo h > "$path" && echo "ESCAPED: wrote $path"; } 2>/dev/null
done
exit 0
