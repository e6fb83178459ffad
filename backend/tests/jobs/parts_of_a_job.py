"""What one gives beside a log, and what names no job."""

from __future__ import annotations


def lfs_getstripe(path: str) -> bytes:
    """Of one file, on four OSTs."""
    return f"""$ lfs getstripe {path}
{path}
lmm_stripe_count:  4
lmm_stripe_size:   1048576
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 7
\tobdidx\t\t objid\t\t objid\t\t group
\t     7\t      30246410\t    0x1cd850a\t             0
\t     8\t      30246411\t    0x1cd850b\t             0
\t     9\t      30246412\t    0x1cd850c\t             0
\t    10\t      30246413\t    0x1cd850d\t             0
""".encode()


def ior_output(path: str, began: str = "Thu Oct  9 10:53:25 2025", ranks: int = 512) -> bytes:
    """Of one file that all ranks wrote; `began` is what it printed, without a zone."""
    return f"""\
IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : {began}
Command line        : ./ior -w -o {path}
Machine             : Linux n001
TestID              : 0
StartTime           : {began}
Path                : {path}

Options:
api                 : POSIX
test filename       : {path}
access              : single-shared-file
tasks               : {ranks}
repetitions         : 1
xfersize            : 1 MiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     20480.00   10.0       0.1         524288     1024.00    0.02       5.02       0.03       5.08       0
Finished            : {began}
""".encode()
