"""Files that are not read are named, with what to give instead; no line of one is taken for another."""

from __future__ import annotations

import io

import pytest
from budget import some

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import HEAD_BYTES
from iotriage_parsers.text.known.unsupported_formats import KINDS
from iotriage_parsers.text.lines import CHUNK_BYTES

EXAMPLES = {
    "ltrace -c": "% time     seconds  usecs/call     calls      function\n------ ----------- \n",
    "strace -c": "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- \n",
    "h5perf": "rank 0: ==== Parameters ====\nrank 0: IO API=posix mpiio phdf5\n",
    "h5bench": "==================  Performance results  =================\nRaw write rate = 25.8 MB/sec\n",
    "MACSio": 'Info:"macsio_main.c":812:Overall BW: 512.0 Mi/1.0 secs = 512.0 Mi/sec\n',
    "IOzone": "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.489 $\n",
    "Bonnie++": "Version  1.98       ------Sequential Output------ --Sequential Input- --Random-\n",
    "Filebench": "Filebench Version 1.5-alpha3\n0.000: Allocated 173MB of shared memory\n",
    "fio without its jobs": "   READ: bw=54.5MiB/s (57.1MB/s), 54.5MiB/s-54.5MiB/s, io=6537MiB (6854MB)\n",
    "qstat without its head": "Job_Name = sea\nresources_used.walltime = 00:10:01\nExit_status = 1\n",
    "IO500 before 2020": "[RESULT] BW   phase 1   ior_easy_write   0.108 GB/s : time 32.9 seconds\n",
    "dd": "2560+0 records out\n10737418240 bytes (11 GB, 10 GiB) copied, 5.5 s, 1.9 GB/s\n",
    "nn_seff": "Cluster: hill\nJob Wall-time:   21.7%  00:01:05 of 00:05:00 time limit\n",
    "finishedjobinfo": "2026-11-02 10:58:49 jobid=51451 jobstate=OUT_OF_MEMORY username=auser account=hill\n",
    "nfsiostat": "srv:/home mounted on /home:\n\n           ops/s       rpc bklog\n         196.860     0.000\n",
    "lfs quota of what is used up": (
        "Disk quotas for prj 5145 (pid 5145):\n     Filesystem    used   quota   limit   grace   files\n"
        "        /bay  13.58T*     0k  13.57T  6d23h59m 9038326\n"
    ),
    "lfs quota": "Disk quotas for usr auser (uid 5145):\n     Filesystem    used   quota   limit   grace\n",
    "mmlsquota": "                         Block Limits                       |     File Limits\nFilesystem type\n",
    "BeeGFS's quota": "Quota information for storage pool Default (ID: 1):\n",
    "Lustre's job_stats": "job_stats:\n- job_id:          app.5145\n  snapshot_time:   1409778251\n",
    "lfs getstripe without a layout": "/lustre/run has no stripe info\n",
    "lfs getstripe outside Lustre": "lfs getstripe: getstripe for '/home/x' failed: Inappropriate ioctl for device\n",
    "darshan-dxt-parser without its head": " X_POSIX       0  write    0    0    100    0.0062  0.0063\n",
    "darshan-parser without its head": "# performance\n# -----------\n# total_bytes: 134217728\n",
    "MPICH_MPIIO_STATS without its title": "|   independent writes      = 0\n|   collective writes       = 512\n",
    "MPICH_MPIIO_TIMERS without its title": "|   net write BW (MiB/s)           =                    500.275\n",
    "darshan-parser that failed": "Error: unable to inflate darshan log data.\n",
    "jobstats": "=====\n                    Slurm Job Statistics\n=====\n         Job ID: 39798795\n",
    "qacct": "=====\nqname        mpi.q\nhostname     node12\nowner        auser\n",
    "LSF (bjobs, bhist)": "Job <123456>, Job Name <solver>, User <auser>, Project <abc>, Status <EXIT>\n",
    "ROMIO hints": "romio_cb_write enable\ncb_nodes 8\nstriping_factor 8\n",
    "strace": 'execve("./sea", ["./sea"], 0x7ffd /* 40 vars */) = 0\nopenat(AT_FDCWD, "in.nml", O_RDONLY) = 3\n',
    "perf stat": " Performance counter stats for './sea':\n",
    "gprof": "Flat profile:\n\nEach sample counts as 0.01 seconds.\n",
    "settings of MPI-IO": "```\nexport ROMIO_HINTS=/bay/hints\n```\n",
    "h5stat": "Filename: o.h5\nFile information\n\t# of unique groups: 1036\n",
    "Lustre's counters": "llite.bay-ffff94.stats=\nsnapshot_time             1689697369.331 secs.nsecs\n",
    "mmpmon": "mmpmon node 10.1.1.1 name n1 fs_io_s OK\ncluster:        hill\n",
    "LSF's mail": "Sender: LSF System <lsfadmin@n1>\nSubject: Job 51451: <sea> in cluster <hill> Done\n",
    "Intel MPI's start": "[0] MPI startup(): Intel(R) MPI Library, Version 2021.9\n",
    "iostat": "Device            r/s     rkB/s   rrqm/s\nsda 1.0 2.0 0.0\n",
    "Drishti": "DRISHTI v.0.5\n JOB : 4127088\n",
    "Drishti without its head": "\u2502 \u25b6 Application is read operation intensive (6.34% writes) \u2502\n",
    "DXT Explorer": "2026-11-02 12:56:38,888 dxt - INFO - log: samples/DXT_SAMPLE.darshan\n",
    "Darshan's page": '<!DOCTYPE html><html lang="en"><head>\n<title>Darshan Summary Report</title>\n',
    "the text of Darshan's page": "Darshan Summary Report\n\nJob Summary\nJob ID\t5145\n# Processes\t2048\n",
    "darshan-job-summary": "jobid: 5145\nuid: 1000\nMost Common Access Sizes\naccess size count\n",
    "darshan-analyzer": "log dir: /logs/2026/1\n  total: 120\n single: 23 [0.191667]\n",
    "WRF": "Timing for main: time 2026-11-27_00:00:00 on domain   1:    1.65817 elapsed seconds\n",
    "UFS": "          dynf000.nc write time is   26.45 at fcst   00:00\n",
    "CESM or E3SM": "---------------- TIMING PROFILE ---------------------\n  Case        : sea\n",
    "XIOS": "-> report :  Performance report : Whole time from XIOS init and finalize: 121.3 s\n",
    "NEMO": " Total timing (sum) :\n --------------------\n Elapsed Time (s)  CPU Time (s)\n",
    "Quantum ESPRESSO": "     Program PWSCF v.7.2 starts on 27Nov2026 at 12:00:00\n",
    "VASP": " vasp.6.4.2 20Jul23 (build) complex\n",
    "GROMACS": "     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G\n",
    "LAMMPS or SPARTA": "MPI task timing breakdown:\nSection |  min time  |  avg time  |\n",
    "AMReX": "PLOTFILE: file = ./plot/plt00200\nWrite plotfile time = 1.25  seconds\n",
    "FMS (MOM, GFDL's models)": "Tabulating mpp_clock statistics across      6 PEs...\n",
    "CP2K": " -                                T I M I N G                                  -\n",
    "SCORPIO's summary": '    "avg_wtput(MB/s)" : 25179.191303\n    "tot_wb(bytes)" : 2905268883619\n',
    "ADIOS2": '[\n{ "rank":0, "start":"Wed_Dec_06_10:53:10_2023", "ES":{"mus":357129, "nCalls":100}}\n]\n',
    "TAU": "FUNCTION SUMMARY (mean):\n---------\n%Time    Exclusive    Inclusive\n",
    "Score-P": "Estimated aggregate size of event trace:                   160GB\n",
    "Intel VTune": "Elapsed Time: 120.500s\n    I/O Wait Time: 50.000s\n",
    "nsys stats": " Time (%)  Total Time (ns)  Num Calls  Avg (ns)  Name\n",
    "Intel's APS": " Disk I/O Bound:                   1.50 s             0.25% of Elapsed Time\n",
    "Linaro Performance Reports": "A breakdown of the 12.5% I/O time:\nTime in reads:      0.0% |\n",
    "mpiP": "@ mpiP\n@ Command : ./sea\n",
    "Caliper": "Path                 Min time/rank Max time/rank Avg time/rank Time %\n",
    "E3SM-IO": "Max Time of TOTAL    = 2.5000 sec\nI/O bandwidth (open-to-close)      = 409.6000 MiB/sec\n",
    "IOR without its head": "write     1234.56    16384      1024.00    0.012345   3.317   0.000321   3.318   0   \n",
    "mdtest without its head": "   File creation             :      20480.000      19200.000      19840.000\n",
    "elbencho without its head": "WRITE       Elapsed time     :     30.140s     30.196s\n",
    "gdsio": "IoType: WRITE XferType: GPUD Threads: 8 IOSize: 1024(KiB) Throughput: 5.123456 GiB/sec, Avg_Latency: 1\n",
    "MD-Workbench": "MD-Workbench total objects: 120000 workingset size: 446.320 MiB (version: 1.0)\n",
    "obdfilter-survey": "ost  4 sz 67108864K rsz 1024K obj    4 thr    4 write  800.12 [ 180.00, 220.00]\n",
    "LNet's self-test": "[LNet Rates of servers]\n[R] Avg: 1234     RPC/s Min: 1234     RPC/s\n",
    "BeeGFS's storage benchmark": "Server benchmark status:\nFinished:       10\n\nWrite benchmark results:\n",
    "BTIO": " BTIO -- statistics:\n   I/O timing in seconds   :           8.00\n",
    "PIO's pioperf": "  RESULT: write    SUBSET         1         4        64       1024.0\n",
    "fio's terse form": "3;fio-3.33;seqwrite;0;0;0;0;0;0;0;0;0.000000\n",
    "sacct --json": '{"jobs":[{"account":"hill","job_id":51451}]}\n',
    "qstat -F json": '{\n    "timestamp":1712345678,\n    "pbs_version":"2022.1.1",\n    "Jobs":{\n',
    "rows of sacct": "551.batch       batch               bay          4  COMPLETED      0:0\n",
    "reportseff": "     JobID    State       Elapsed  TimeEff   CPUEff   MemEff\n  5145  COMPLETED\n",
    "LLview": "LLview Job Report\n\nJob-ID: 5145  Owner: auser  Queue: batch\n",
    "XDMoD": 'title\n"Job Viewer: Summary for Job 5145"\nparameters\n\nStart,End\n',
    "Cray's RUR": "uid: 5145, apid: 10963, jobid: 0, cmdname: ./sea, plugin: taskstats ['utime', 4000]\n",
    "ALPS": "Application 5145 resources: utime ~10595s, stime ~5048s, Rss ~13544, inblocks ~102488\n",
    "squeue": "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n",
    "sstat": "JobID         MaxDiskRead     MaxDiskWrite\n-------- -------- --------\n123.0 1M 9M\n",
    "LSF's bjobs": "JOBID      USER       STAT   SLOTS    QUEUE       START_TIME    FINISH_TIME   JOB_NAME\n",
    "Flux (flux jobs)": "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO\n",
    "Moab's checkjob": "AName: sea\nState: Completed \n",
    "Fujitsu's job statistics": "ELAPSE TIME (LIMIT)           : 02:00:00 (7200)\n",
    "HTCondor's log": "001 (4210.000.000) 2026-03-07 11:22:10 Job executing on host: <10.0.7.21:9618>\n",
    "the end of LSF's mail": "Exited with exit code 137.\n\nResource usage summary:\n\n    CPU time :   120.00 sec.\n",
    "collectl": "#<--------CPU--------><-------Lustre Client-------->\n#cpu sys inter  ctxsw KBRead  Reads\n",
    "dstat": "----total-cpu-usage---- -dsk/total- -net/total- ---paging-- ---system--\n",
    "pidstat": "10:10:10 AM   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n",
    "iotop": "Total DISK READ :       0.00 B/s | Total DISK WRITE :     120.00 M/s\n",
    "mountstats": "device srv:/home mounted on /home with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.1\n",
    "Lustre's parameters": "osc.bay-OST0000-osc-ffff.max_rpcs_in_flight=8\nosc.bay-OST0000-osc-ffff.max_dirty_mb=32\n",
    "mmdiag": "\n=== mmdiag: waiters ===\nWaiting 12.3450 sec since 10:01:22, monitored, thread 12345 NSDThread\n",
    "mmdf": "disk                disk size  failure holds    holds           free in KB\n",
    "properties of a container": "Properties for container mycont\nName                     Value\n",
    "Darshan's library": "darshan_library_warning: unable to create log file /logs/2026/x.darshan_partial.\n",
    "PyDarshan's summary": "Filename:       sea.darshan\nModules in Log: ['POSIX', 'STDIO']\n",
    "PyDarshan's records": "   rank                 id  POSIX_OPENS  POSIX_READS\n0    -1  159201816724431  512  0\n",
    "Darshan's estimate": "I/O performance estimate (at the POSIX layer): transferred 4096.0 MiB at 512.00 MiB/s\n",
    "Lustre's kernel log": (
        "[Fri Nov 27 12:00:00 2026] Lustre: bay-OST0004-osc-ffff: Connection to bay-OST0004 (at 10.0.0.4@tcp) was\n"
    ),
    "Lustre's RPCs and extents": "pages per rpc         rpcs   % cum % |       rpcs   % cum %\n1024:  0   0   0\n",
    "lfs osts": "OBDS:\n0: bay-OST0000_UUID ACTIVE\n",
    "mount": "10.0.0.4@tcp:/bay on /bay type lustre (rw,flock,lazystatfs)\n",
    "df": "Filesystem       Size  Used Avail Use% Mounted on\n/dev/sda1        8.0G  1.2G  6.8G  16% /\n",
    "GNU time": '\tCommand being timed: "./sea"\n\tUser time (seconds): 4.50\n',
    "vmstat": "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n",
    "sar -d": "10:00:01 AM       DEV       tps     rkB/s     wkB/s   areq-sz\n",
    "sar": "10:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n",
    "a process's counts": "rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\n",
    "Open MPI's monitoring": "# POINT TO POINT\nE\t0\t1\t108 bytes\t27 msgs sent\t12,3\n# OSC\n# COLLECTIVES\n",
    "strace of threads": "[pid 12345] 10:00:00.123456 <... write resumed> ) = 4096\n",
    "Recorder": "0.000123 0.000456 0 MPI_File_open( MPI_COMM_WORLD /bay/out.h5 ) 3\n",
    "NetCDF's unlimited dimension": (
        "Abort with message NetCDF: Attempt to extend dataset during NC_INDEPENDENT I/O operation. in file x.c\n"
    ),
    "NetCDF on HDF5": "OSError: [Errno -101] NetCDF: HDF error: '/bay/out.nc'\n",
    "MPI-IO's error class": "Proc 0: MPI_File_open failed (MPI_ERR_IO: input/output error)\n",
    "ROMIO's lock": "File locking failed in ADIOI_Set_lock. If the file system is NFS, you need to use NFS version 3\n",
    "Intel Fortran's runtime": "forrtl: severe (38): error during write, unit 10, file /bay/sea.dat\n",
    "PyTorch's writer": "RuntimeError: [enforce fail at inline_container.cc:603] . unexpected pos 8192 vs 8064\n",
    "HDF5's truncated file": "OSError: Unable to open file (truncated file: eof = 2048, stored_eof = 4194304)\n",
    "HDF5's error stack": (
        "HDF5-DIAG: Error detected in HDF5 (1.14.3) MPI-process 12:\n"
        "  #000: H5D.c line 1390 in H5Dwrite(): can't synchronously write data\n    major: Dataset\n"
    ),
    "Fortran's end of a file": "At line 33 of file read.f90 (unit = 10)\nFortran runtime error: End of file\n",
    "an error that a person tells of": 'Hi,\nmy job stops after step 3 with "Disk quota exceeded". Why?\n',
    "ncdump": "netcdf sea_0400 {\ndimensions:\n\ttime = UNLIMITED ;\n",
    "h5dump": 'HDF5 "sea_0400.h5" {\nGROUP "/" {\n',
    "h5ls": 'Opened "sea.h5" with sec2 driver.\ntemp                     Dataset {24/Inf, 4096/4096}\n',
    "bpls": '  double   temperature  20*{15, 16} = 0 / 200\n  string   units        attr   = "K"\n',
    "one figure of lfs getstripe": "[auser@login1 run]$ lfs getstripe -c out/sea.nc\n1\n",
    "a foreign layout of Lustre": "/lustre/x\n  lfm_magic:         0x0BD70BD0\n  lfm_length:        64\n",
    "lfs pool_list": "Pools from bay:\nbay.flash\n",
    "lfs hsm_state": "out/sea.nc: (0x0000000d) released exists archived, archive_id:1\n",
    "mmlsattr": "file name:            /hill/sea.nc\nmetadata replication: 2 max 2\n",
    "ompi_info": "                 MCA io: ompio (MCA v2.1.0, API v2.0.0, Component v4.1.5)\n",
    "pat_report's progress": "Processing step 7 of 10\n",
    "perf trace -s": " Summary of events:\n\n sea (1234), 204800 events, 100.0%\n",
    "perf report": "# Overhead  Command  Shared Object      Symbol\n#\n    12.30%  sea    libc.so    [.] write\n",
    "a list of modules": "Currently Loaded Modules:\n  1) craype-x86-rome   2) cray-mpich/8.1.23\n",
    "ls -l": "total 1048576\n-rw-r--r-- 1 auser hill 1073741824 Oct  7 10:02 sea.0000.h5\n",
    "stat": "  File: sea.h5\n  Size: 1073741824\tBlocks: 2097152    IO Block: 4194304 regular file\n",
    "siondump": "siondump: sid:                       0\nsiondump: number of tasks:           512\n",
    "a mail": "From: a@x.org\r\nMIME-Version: 1.0\r\n\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\nMy40MQ==\r\n",
}


def failure(text: str) -> Failure:
    found = detect.read(io.BytesIO(text.encode()))
    assert isinstance(found, Failure)
    return found


def test_every_kind_has_an_example() -> None:
    assert [kind.title for kind in KINDS] == list(EXAMPLES)


@pytest.mark.parametrize("title", EXAMPLES)
def test_a_known_file_is_named_with_what_to_give_instead(title: str) -> None:
    found = failure(EXAMPLES[title])
    assert found.code == "unsupported"
    assert found.message.startswith(next(f"{kind.named}: {kind.holds}" for kind in KINDS if kind.title == title))
    assert "Darshan log" in found.next_step or "the log itself" in found.next_step


@pytest.mark.fuzz
@pytest.mark.parametrize("title", some(EXAMPLES))
def test_it_is_named_in_any_encoding_and_behind_a_long_output(title: str) -> None:
    whole = EXAMPLES[title]
    told = failure(whole).message
    for given in (whole.replace("\n", "\r\n").encode(), whole.encode("utf-16"), _behind(2 * HEAD_BYTES, whole)):
        found = detect.read(io.BytesIO(given))
        assert isinstance(found, Failure)
        assert found.message == told


def test_a_profile_as_tau_itself_writes_it_is_one_of_tau() -> None:
    head = "128 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"
    assert "a profile of TAU" in failure(f'{head}".TAU application" 1 1 1200 90000 0 GROUP="TAU_DEFAULT"\n').message


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("metric, value, unit\noperation, write, \nranks, 64, \nraw rate, 1.250, GB/s\n", "h5bench"),
        ("metric, value, unit\noperation, read, \nobserved rate, 31.402, MB/s\n", "h5bench"),
        ("NUM_RANKS, 64\nMetadata_time, 8.125, ms\nRaw read rate, 25.800, MB/sec\n", "h5bench"),
        ("siondump: datasize in file (aggr.):                 1048576 bytes  (    1.00 MB)\n", "siondump"),
    ],
)
def test_another_form_of_a_tools_output_is_one_of_that_tool(text: str, named: str) -> None:
    assert next(kind for kind in KINDS if kind.title == named).holds in failure(text).message


def test_rows_whose_tabs_a_page_made_blanks() -> None:
    rows = "POSIX   -1      14985684057340396765    POSIX_F_WRITE_TIME      0.27   /bay/a    /bay   lustre\n"
    assert "a part of what darshan-parser prints" in failure(f"I see:\n```\n{rows}```\n").message


def test_it_is_named_behind_several_chunks() -> None:
    for whole in list(EXAMPLES.values())[::80]:
        found = detect.read(io.BytesIO(_behind(2 * CHUNK_BYTES, whole)))
        assert isinstance(found, Failure)
        assert found.message == failure(whole).message


def _behind(size: int, text: str) -> bytes:
    """The text after so many bytes of a program's output."""
    line = " step of the model\n"
    return (line * (size // len(line)) + text).encode()


def test_a_quota_that_is_not_used_up_is_not_said_to_be() -> None:
    row = "        /bay  13.58T     0k  15.57T  - 9038326\n"
    told = failure(
        "Disk quotas for prj 5145 (pid 5145):\n     Filesystem    used   quota   limit   grace\n" + row
    ).message
    assert "more is used" not in told


@pytest.mark.parametrize(
    "text",
    [
        "the write time is 3 s\n",
        "Timing for the parade is noon\n",
        "vasp is not installed here\n",
        "read(4) was slow\nfio was run\n",
        "the flag value description is missing\n",
        "romio_cb_write enable\nis what we set\n",
        "Job <123456> is submitted to queue <batch>.\n",
        "the overall BW: was low\n",
        "ls: x has no stripe information\n",
        "lfs getstripe -c says 1\n",
        "total_cells: 512\n",
        "copied 4096 bytes to the device\n",
        "the disk is mounted on /bay, of type lustre (as said)\n",
        "Filesystem checks were made\n",
        "the NetCDF library is built with HDF5\n",
        "Command was timed\n",
        "Lustre: a file system\n",
        "From: a@x.org\nSubject: slow\n\nThe Content-Disposition is not known.\n",
        "ERROR: MPI_ERR_ARG: invalid argument\n",
        "  0.231 s: the solver FAILED to converge\n",
        "12.5 seconds, step 3 COMPLETED\n",
    ],
)
def test_a_mere_mention_is_no_known_file(text: str) -> None:
    assert failure(text).code == "unrecognised"


def test_an_unknown_file_is_told_how_it_begins() -> None:
    found = failure("\n-----\n  Sea model 4.2 \x1b[31mstarts\x1b[0m\nstep 1\n")
    assert found.message.startswith('nothing that is read here; it begins with "Sea model 4.2 ')
    assert "forgot" not in found.next_step
    assert "MPICH_MPIIO_STATS=1" not in found.next_step


@pytest.mark.parametrize(
    "headers",
    ["Content-Disposition: attachment; filename=j.darshan", "content-type: a/b\nContent-Transfer-Encoding:base64"],
)
def test_of_a_mail_its_attachments_are_asked_for(headers: str) -> None:
    found = failure(f"Received: by x\nSubject: =?utf-8?q?langsam?=\n\n--b\n{headers}\n\nMy40MQ==\n--b--\n")
    assert found.message.startswith("a mail as it was sent")
    assert found.next_step == "Save what is attached, the Darshan log first of all, and give those files."
