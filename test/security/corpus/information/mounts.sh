# The kernel shows every program where the engine keeps its layers; their content must stay out of reach.
root=$(grep -o 'upperdir=[^,]*' /proc/self/mountinfo | head -1 | cut -d= -f2)
for path in "$root" "${root%/*}" "${root%/*/*}" "${root%/overlay2/*}"; do
  [ -n "$path" ] && ls "$path" 2>/dev/null && echo "ESCAPED: $path"
done
while read -r name path; do
  [ "$name" = file ] && grep -q "${path%/*}" /proc/self/mountinfo && echo "ESCAPED: $path is mounted"
done
findmnt -n -o TARGET,OPTIONS -t ext4,xfs,btrfs 2>/dev/null | grep -v ' ro,' | grep -v '^/etc/' && echo 'ESCAPED: a writable disk'
exit 0
