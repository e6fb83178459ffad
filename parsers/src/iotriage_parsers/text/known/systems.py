"""What nodes, their kernels and file systems say, which is of no one job."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import PROFILE, RUN, kind_of

_DARSHAN: Final = (
    "darshan-config --log-path says where it writes; export DARSHAN_LOGFILE=/path/run.darshan names another file for "
    "one run. Then give the Darshan log of that."
)

_NODE: Final = "the load of one node, whoever's it was; of a parallel file system little or nothing"

SYSTEMS: Final = (
    kind_of(
        "collectl",
        rb"#[ ]{0,16}<-{2,20}[A-Z][\w ]{1,20}-{2,20}>|#(?:Time[ ]+)?cpu sys inter[ ]+ctxsw",
        "rates of one node by the second: processors, disks, network and, on Lustre, the client",
        f"Whose files they were it does not say. {RUN}",
    ),
    kind_of("dstat", rb"-{2,8}total-(?:cpu-)?usage-{0,8} ", _NODE, RUN),
    kind_of("pidstat", rb".{0,24}\bUID[ ]+(?:TGID[ ]+TID|PID)[ ]+kB_rd/s", "rates of processes to local disks", RUN),
    kind_of("iotop", rb"Total DISK READ ?:", "rates of processes to local disks", RUN),
    kind_of(
        "mountstats",
        rb"device \S{1,400} mounted on \S{1,400} with fstype \w|Stats for \S{1,400} mounted on /",
        "what one node's mounts of NFS have counted since they were mounted, whoever uses them",
        RUN,
        named="what a node has counted of its mounts (mountstats)",
    ),
    kind_of(
        "Lustre's parameters",
        rb"(?:llite|osc|mdc|lov|ldlm|mdt|ost|obdfilter|osd-\w{3,8})\.[\w.*+-]{1,200}=[ \t]{0,4}\S{0,200}[ \t\r]*$",
        "how a client or a server of Lustre is set",
        f"Who runs the nodes may change that, a job cannot. {RUN}",
        named="parameters of Lustre (lctl get_param)",
    ),
    kind_of(
        "mmdiag",
        rb"=== mmdiag: \w",
        "what the daemon of GPFS on one node waits for, or has done last",
        f"It has neither the files nor the ranks; long waiters are for those who run the file system. {RUN}",
    ),
    kind_of(
        "mmdf",
        rb"disk[ ]{4,40}disk size[ ]{1,8}failure holds",
        "how full the disks of GPFS are",
        f"Writes fail where none is left. How large its blocks are says mmlsfs, which is read. {RUN}",
    ),
    kind_of(
        "properties of a container",
        rb"(?:Properties|Attributes) for (?:container|pool) \S",
        "how a container or a pool is set",
        f"The class of objects and the size of chunks are in daos container query POOL CONTAINER, which is read. {RUN}",
        named="settings of DAOS (get-prop, get-attr)",
    ),
    kind_of(
        "Darshan's library",
        rb"darshan[_ ]library[_ ]warning: ",
        "that the run left no log, or not all of one, and why",
        _DARSHAN,
        named="a warning of Darshan's library",
    ),
    kind_of(
        "PyDarshan's summary",
        rb"Modules in Log: {1,8}\[|Loaded Records: {1,8}\{|DarshanReport: {1,8}id\(",
        "the run, its modules and how many records they have",
        "Give the Darshan log that it was made of.",
        named="what PyDarshan says of a log (report.info())",
    ),
    kind_of(
        "PyDarshan's records",
        rb"[\t ,;]{0,12}(?:index[\t ,;]+)?rank[\t ,;]+id[\t ,;]+(?:POSIX|MPIIO|STDIO|H5[DF]|PNETCDF)_[A-Z]",
        "counters of single records, without the run that they are of",
        "Give the Darshan log that it was made of.",
        named="a table of records that PyDarshan made of a log",
    ),
    kind_of(
        "Darshan's estimate",
        rb"I/O performance estimate \(at the \S{1,12} layer\): transferred \d",
        "the bytes and the rate that Darshan's tools work out of a log",
        "Give the Darshan log that it was made of.",
        named="a line, or the page, of a summary of a Darshan log",
    ),
    kind_of(
        "Lustre's kernel log",
        rb"\b(?:Lustre|LustreError|LNetError): .{0,200}"
        rb"(?:Connection to \S{1,80} \(at |was evicted by|timed out for|operation \w{1,40} to node)",
        "when a client lost a server of Lustre, found it again, or was evicted, whoever's job it was",
        "Calls wait meanwhile, and fail where the client was evicted: compare its times with when the run was slow; "
        f"with those, the node and the target, who runs the file system can tell what it was. {RUN}",
        named="messages of Lustre in a kernel's log",
        anywhere=True,
    ),
    kind_of(
        "Lustre's RPCs and extents",
        rb"pages per rpc[ \t]+rpcs|extents[ \t]+calls[ \t]+% cum|(?:rpcs in flight|disk I/O size)[ \t]+\w{3,4}",
        "how large the requests were that a client or a server has made since the counts were reset, whoever's",
        f"It has neither the files nor the ranks. {RUN}",
        named="counts of Lustre's requests (rpc_stats, extents_stats, brw_stats)",
    ),
    kind_of(
        "lfs osts",
        rb"(?:OBDS|MDTS):[ \t\r]*\n[ \t>]*0: \S{1,100}_UUID ",
        "the OSTs or MDTs of a file system, and which are not active",
        f"It says how many there are, not how full they are (lfs df -h) nor what lies on them (lfs getstripe). {RUN}",
    ),
    kind_of(
        "mount",
        rb"\S{1,400} on /\S{0,400} type (?:lustre|gpfs|beegfs|nfs4?|ceph|wekafs|panfs|dvs) \(",
        "the file systems of a node and their options",
        "Locks of files work on Lustre where flock is among the options, and on one node where localflock is. "
        f"Of a run it says nothing. {RUN}",
        named="a table of mounts",
    ),
    kind_of(
        "df",
        rb"Filesystem[ ]+(?:1[KMG]-blocks|[Ss]ize|Inodes|512-blocks)[ ]+I?Used[ ]+(?:Avail|IFree)",
        "how full file systems are",
        "Writes fail where one is full (100%), and slow down where it nearly is; on Lustre lfs df -h has each OST, and "
        f"is read. {RUN}",
        named="output of df",
    ),
    kind_of(
        "GNU time",
        rb"Command being timed: |Elapsed \(wall clock\) time \(h:mm:ss",
        "a command's times, memory and blocks that went to local disks",
        f"What a parallel file system took is not in its File system inputs and outputs. {RUN}",
        named="output of time -v",
    ),
    kind_of(
        "vmstat",
        rb"procs -{3,20}memory-{3,20}|[ ]{0,4}r[ ]+b[ ]+swpd[ ]+free[ ]+buff",
        "the load of one node; its blocks in and out are those of local disks",
        RUN,
    ),
    kind_of(
        "sar -d",
        rb"\d\d:\d\d:\d\d(?: [AP]M)?[ ]+DEV[ ]+tps[ ]",
        "rates of the block devices of one node",
        RUN,
    ),
    kind_of(
        "sar",
        rb"\d\d:\d\d:\d\d(?: [AP]M)?[ ]+CPU[ ]+%us(?:e?r)[ ]",
        "the load of one node's processors; what they wait for in %iowait are local disks",
        RUN,
    ),
    kind_of(
        "a process's counts",
        rb"rchar: \d{1,20}[ \t\r]*\n[ \t>`]{0,40}wchar: \d{1,20}[ \t\r]*$",
        "what one process has read and written by now, pipes and caches too",
        f"read_bytes and write_bytes are counted for local disks alone. {RUN}",
        named="the counts of a process (/proc/PID/io)",
    ),
    kind_of(
        "Open MPI's monitoring",
        rb"# POINT TO POINT[ \t\r]*\n(?:[ \t>`]{0,40}[EI]\t\d|[ \t>`]{0,40}# OSC)",
        "the messages that ranks send one another",
        f"Of files it says nothing. {RUN}",
        named="a profile of Open MPI's monitoring (pml_monitoring)",
    ),
    kind_of(
        "strace of threads",
        rb"(?:\[pid[ \t]+\d{1,10}\] |\d{1,10}[ \t]+)?(?:\d\d:\d\d:\d\d\S{0,12} |\d{10}\.\d{6} )?"
        rb"(?:<\.\.\. \w{2,20} resumed>|\w{2,20}\(.{0,400}<unfinished \.\.\.>)",
        "every system call of a process",
        RUN,
        named="output of strace",
    ),
    kind_of(
        "Recorder",
        rb"\d{1,9}\.\d{6} \d{1,9}\.\d{6} \d{1,9} (?:MPI_File_|H5|p?write|p?read|f?open|f?close|lseek)\w{0,40}[ (]",
        "every call of each rank with its times",
        f"Its calls are read of no other tool than Darshan (DXT). {PROFILE}",
        named="a trace of Recorder",
    ),
)
