# The place of a neighbour, or of the job before.
for place in /workspace /tmp /dev/shm /var/tmp /run /home /root /isopod /dev/mqueue /var/lib /mnt /media /srv /opt; do
  find "$place" -xdev -newermt '-1 hour' -type f ! -path /workspace/main.sh 2>/dev/null | sed 's/^/ESCAPED: /'
done
awk 'NR > 1' /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg 2>/dev/null | grep -v key | sed 's/^/ESCAPED: /'
exit 0
