import glob
import subprocess
import sys

marker = sys.stdin.readline().split()[1]
quiet = {name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
child = subprocess.Popen(["bash", "-c", "sleep 3; true", marker], start_new_session=True, **quiet)
for group in glob.glob("/host-cgroup/*/cgroup.procs") + ["/host-cgroup/cgroup.procs"]:
    try:
        with open(group, "w") as file:
            file.write(str(child.pid))
    except OSError:
        pass
child.wait()
