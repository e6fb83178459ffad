"""What programs and profilers print of their own times, which is not read here: what of it is the time of files."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import PROFILE, RUN, UnsupportedFormat, kind_of


def _of_program(title: str, cue: bytes, io: str) -> UnsupportedFormat:
    return kind_of(title, cue, f"its own times. {io}", f"How its files are used it does not say. {RUN}")


def _of_profiler(title: str, cue: bytes, io: str) -> UnsupportedFormat:
    return kind_of(title, cue, f"the time in each function. {io}", PROFILE, named=f"a profile of {title}")


TIMINGS: Final = (
    _of_program(
        "WRF",
        rb"Timing for (?:main:|Writing |processing |reading )|.{0,80}\bwrf: SUCCESS COMPLETE",
        "Its output is in the lines 'Timing for Writing', and in each step ('Timing for main') that takes far longer "
        "than those around it",
    ),
    _of_program(
        "UFS",
        rb"[ \t-]{0,100}(?:\S{1,100}[ \t]+|(?:parallel )?netcdf[ \t]+|total[ \t]+){1,3}"
        rb"[Ww]rite [Tt]ime is[ \t]+\d[\d.]{0,12}[ \t]+at [Ff]cst ",
        "Its output is in the lines 'write time'; a group of write tasks may do it while the model goes on",
    ),
    _of_program(
        "CESM or E3SM",
        rb"-{8,30} (?:CCSM |CESM |ACME |E3SM )?TIMING PROFILE -{8,30}",
        "Output is part of each component's; by itself it stands in the files of timing/, in the rows of PIO",
    ),
    _of_program(
        "XIOS",
        rb".{0,40}\breport ?: {1,3}Performance report ?: ",
        "What the model waits for a free buffer, it waits for its output",
    ),
    _of_program(
        "NEMO",
        rb"[ \t]*Elapsed Time \(s\)[ \t]+CPU Time \(s\)|[ \t]*Total timing \(sum\) :",
        "Its output is in the sections dia_wri, iom and rst_write",
    ),
    _of_program(
        "Quantum ESPRESSO",
        rb"Program (?:PWSCF|PHONON|CP|NEB|BANDS|PROJWFC|TURBO_\w{1,12}|EPW) v\.|(?:davcio|write_rec)[ ]+:.{1,20}CPU",
        "Its files are in davcio and write_rec, where WALL is far more than CPU",
    ),
    _of_program(
        "VASP",
        rb"vasp\.\d{1,2}\.\d|General timing and accounting informations for this job",
        "None is of its files: what elapses beyond the CPU's time may be",
    ),
    _of_program(
        "GROMACS",
        rb"R E A L   C Y C L E   A N D   T I M E|.{0,30}:-\) GROMACS - ",
        "Its output is in the row 'Write traj.'",
    ),
    _of_program(
        "LAMMPS or SPARTA",
        rb"MPI task timing breakdown:",
        "Its output is in the row 'Output', for dumps in 'Modify' too",
    ),
    _of_program(
        "AMReX",
        rb"Write plotfile time = [\d.e+-]{1,20}|AMReX \([\w.+-]{1,60}\) (?:initialized|finalized)",
        "Its output is in the lines 'Write plotfile time' and 'checkPoint() time'",
    ),
    _of_program(
        "FMS (MOM, GFDL's models)",
        rb"Tabulating mpp_clock statistics across",
        "What its clocks name diag_manager, I/O or restart is that; the others may hold it too",
    ),
    _of_program("CP2K", rb"-[ ]+T I M I N G[ ]+-[ \t\r]*$", "None is of its files"),
    kind_of(
        "SCORPIO's summary",
        rb'"?(?:avg_[rw]tput\(MB/s\)|tot_[rw]b\(bytes\)|tot_[rw]time\(s\))"? *:',
        "the bytes, seconds and rates of the model's reading and writing as a whole",
        f"It has neither the files nor how they are accessed. {RUN}",
        named="SCORPIO's summary of its I/O",
    ),
    kind_of(
        "ADIOS2",
        rb'[\[{ \t]{0,8}"rank": ?\d{1,9}, ?"(?:start|threads|transport_\d)"',
        "the times and bytes of each rank in one output. transport_0 has its writes",
        f"It says how long the data took, not how the file system was used. {RUN}",
        named="a profile of ADIOS2 (profiling.json)",
    ),
    _of_profiler(
        "TAU",
        rb"FUNCTION SUMMARY \((?:mean|total)\):|%Time[ \t]{1,8}Exclusive[ \t]{1,8}Inclusive[ \t]"
        rb"|USER EVENTS Profile ?:NODE|NODE \d{1,9};CONTEXT \d{1,9};THREAD \d"
        rb"|\d{1,9} templated_functions(?:_MULTI_\w{1,80})?[ \t\r]*$",
        "With tau_exec -io its events have the bytes and rates of files",
    ),
    _of_profiler(
        "Score-P", rb"Estimated aggregate size of event trace:", "Of files it has those that I/O was recorded of"
    ),
    kind_of(
        "Intel VTune",
        rb"I/O Wait Time: {1,8}\d|Disk Input and Output Histogram|(?:I/O|CPU) Time: \d.{0,40}\n.{0,40}Effective Time:",
        "the time of processors, and what they waited for local disks",
        PROFILE,
        named="a summary of Intel's VTune",
    ),
    kind_of(
        "nsys stats",
        rb"Time \(%\)[ ]{1,4}Total Time \(ns\)[ ]{1,4}(?:Num Calls|Instances)",
        "how often a process made each call, and how long that took",
        PROFILE,
        named="a summary of Nsight Systems",
    ),
    kind_of(
        "Intel's APS",
        rb"[| ]{0,4}Disk I/O Bound: |[| ]{0,4}Application Performance Snapshot",
        "the shares of MPI, memory and local disks. 'Disk I/O Bound' is what processors waited for blocks; of a "
        "parallel file system it has little or nothing",
        PROFILE,
        named="a summary of Intel's APS",
    ),
    kind_of(
        "Linaro Performance Reports",
        rb"A breakdown of the [\d.]{1,6}% I/O time|I/O:[ ]{8,60}[\d.]{1,6}% \|"
        rb"|Summary: .{1,200} is (?:Compute|MPI|I/O|Memory)-bound in this configuration",
        "the shares of computing, MPI and I/O, and the rate of a process",
        PROFILE,
        named="a report of Linaro (Arm, Allinea) Performance Reports",
    ),
    kind_of(
        "mpiP",
        rb"@ mpiP[ \t\r]*$|@--- (?:MPI Time|Callsite)",
        "the time in each call of MPI, those of MPI-IO among them, and the bytes of these",
        PROFILE,
        named="a profile of mpiP",
    ),
    _of_profiler("Caliper", rb"Path[ ]+(?:Min|Max|Avg|Inclusive)? ?[Tt]ime(?:/rank| \()", "Of files it has none"),
)
