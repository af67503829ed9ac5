import errno
import os

kept = []
try:
    while True:
        kept += [os.dup(0) for _ in range(8)]
except OSError as error:
    raise SystemExit(0 if error.errno == errno.EMFILE and len(kept) < 256 else 1)
