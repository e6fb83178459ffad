"""Sources of one job in which every name of a person, a node, a program and a path begins with "zq"."""

from __future__ import annotations

import re

from darshan_writer import Counters, Job, Log, build, record_id

PLANTED = re.compile(r"zq\w*", re.IGNORECASE)

SCRIPT = b"""#!/bin/bash
#SBATCH --job-name=zqname
#SBATCH --account=zqaccount
#SBATCH --nodes=4
#SBATCH --nodelist=zqnode[0101-0104]
export MPICH_MPIIO_HINTS="*.zqend:romio_cb_write=enable"
export LD_PRELOAD=/home/zquser/lib/libzqown.so
lfs setstripe -c 4 /lustre/zqproject/zquser/zqout_0001
srun -n 512 /home/zquser/bin/zqsolver zqcase.nml
"""
STATS = b"""+--------------------------------------------------------+
| MPIIO write access patterns for /lustre/zqproject/zquser/zqout_0001.h5
|   independent writes      = 4096
|   collective writes       = 0
|   independent writers     = 512
|   aggregators             = 4
|   stripe count            = 1
|   stripe size             = 1048576
|   system writes           = 4096
|   total bytes for writes  = 4194304 = 4 MiB = 0 GiB
|   ave system write size   = 1024
+--------------------------------------------------------+
"""


def planted_log() -> bytes:
    paths = [f"/lustre/zqproject/zquser/zqout_{i:04}.h5" for i in range(6)]
    rows = [
        {
            "id": record_id(path),
            "rank": -1,
            "POSIX_OPENS": 512,
            "POSIX_WRITES": 400_000,
            "POSIX_BYTES_WRITTEN": 400_000 * 100,
            "POSIX_SIZE_WRITE_100_1K": 400_000,
            "POSIX_F_WRITE_TIME": 9000.0,
        }
        for path in paths
    ]
    job = Job(job_id=98765432, exe="/home/zquser/bin/zqsolver --in zqcase.nml", nprocs=512)
    return build(Log(job=job, names={record_id(p): p for p in paths}, modules=(Counters.of("POSIX", *rows),)))
