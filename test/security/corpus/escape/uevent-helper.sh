read -r _ marker
for path in /sys/kernel/uevent_helper /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/profiling /sys/power/state /sys/module/*/parameters/* /sys/class/*/*/uevent /sys/fs/*/* /sys/bus/*/uevent /sys/block/*/queue/scheduler; do
  { echo "$marker" > "$path" && echo "ESCAPED: wrote $path"; } 2>/dev/null
done
exit 0
