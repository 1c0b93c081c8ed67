"""`python run_measured.py RESULT COMMAND…` runs a command and writes what it took to RESULT as JSON.

On its own and small: a child's peak memory starts at that of the process that started it (Linux keeps ru_maxrss over
exec), and the bench is large.
"""

import os
import sys
from time import perf_counter

started = perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
# Only wait4 tells the usage of this child alone.
_, status, usage = os.wait4(child, 0)
wall = perf_counter() - started
with open(sys.argv[1], "w", encoding="ascii") as result:
    print(
        f'{{"wall": {wall}, "cpu": {usage.ru_utime + usage.ru_stime}, "peak_bytes": {usage.ru_maxrss * 1024}}}',
        file=result,
    )
sys.exit(os.waitstatus_to_exitcode(status) % 256)
