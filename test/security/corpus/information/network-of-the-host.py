import os

names = {line.split(":")[0].strip() for line in list(open("/proc/net/dev"))[2:]}
if names - {"lo", "tunl0", "sit0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6gre0"}:
    print("ESCAPED: interfaces", names)
routes = [line for line in open("/proc/net/route")][1:]
for table in ("tcp", "tcp6", "udp", "unix"):
    rows = [line for line in open(f"/proc/net/{table}")][1:] if os.path.exists(f"/proc/net/{table}") else []
    if rows:
        print("ESCAPED: sockets", table, rows[0])
if routes:
    print("ESCAPED: routes", routes)
try:
    if any(not line.split()[4].startswith("00000000") and "lo" not in line for line in open("/proc/net/arp")):
        pass
except (OSError, IndexError):
    pass
