# Files of the workspace are in memory, so more of them than the memory limit must end the program.
head -c 400M /dev/zero > /workspace/fill
head -c 100M /dev/zero > /tmp/fill
sleep 1
