# Files that are younger than this container come from another job, at the same time or before.
find /workspace /tmp /dev/shm /dev/mqueue -mindepth 1 ! -path /workspace/main.sh 2>/dev/null | sed 's/^/ESCAPED: /'
find / -xdev -newer /etc/hostname -type f ! -path '/etc/*' 2>/dev/null | sed 's/^/ESCAPED: /'
cat /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg 2>/dev/null | grep -v key | sed 's/^/ESCAPED: /'
exit 0
