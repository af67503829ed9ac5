# Files of the workspace are memory: more of them than the limit must end the program and not the host.
head -c 400M /dev/zero > /workspace/fill
head -c 100M /dev/zero > /tmp/fill
sleep 1
