"""A laboratory: jobs as programs on a model of a parallel file system, and the Darshan logs that they would leave.

Nothing here reads what IOtriage reads with or thinks as IOtriage thinks: import-linter holds it apart from the readers,
the metrics and the rules. `product.py` alone asks the product, through `iotriage.diagnose`.

    jobs, faults ─▶ programs ─▶ lowering (MPI-IO, STDIO → system calls) ─▶ storage (seconds) ─▶ counters ─▶ logfile
"""
