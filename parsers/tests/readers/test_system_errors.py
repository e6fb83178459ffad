"""Writes that failed in the words of a program or a command; and mentions of such words, which are none."""

from __future__ import annotations

from io import BytesIO

import pytest
from stats_text import read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, SystemErrors
from iotriage_parsers.readers.system_errors import SystemErrorsMachine
from iotriage_parsers.text.lines import Line


def found(text: str) -> list[tuple[str, int, int, int]]:
    answer = detect.read(BytesIO(text.encode()))
    parts = answer.of(SystemErrors) if isinstance(answer, Evidence) else ()
    return [(p.name, p.count, p.line, p.last_line) for p in parts]


@pytest.mark.parametrize(
    "line",
    [
        "OSError: [Errno 122] Disk quota exceeded: '/work/z19/o.npz'",
        "cp: error writing '/work/o': Disk quota exceeded",
        "  #005: H5FDsec2.c line 820 in H5FD_sec2_write(): file write failed: filename = 'o.h5', errno = 122, error "
        "message = 'Disk quota exceeded', buf = 0x7f00, total write size = 4096",
        "12: OSError: [Errno 122] Disk quota exceeded",
        "PE 3: ADIOI_CRAY_WriteContig: write failed: Disk quota exceeded (errno 122)",
        "> OSError: [Errno 122] Disk quota exceeded",
        "RuntimeError: Unable to flush file's cached data (error message = 'Disk quota exceeded', buf = 0x1)",
        "terminate called: what():  write: Disk quota exceeded [generic:122]",
    ],
)
def test_the_systems_words_as_the_reason_of_an_error(line: str) -> None:
    assert found(f"step 1\n{line}\nstep 2\n") == [("EDQUOT", 1, 2, 2)]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("EIO", "OSError: [Errno 5] Input/output error"),
        ("EIO", "forrtl: Input/output error"),
        (
            "EIO",
            "file descriptor = 13, errno = 5, error message = 'Input/output error', buf = 0x7f, total write size = 8",
        ),
        ("EIO", "ior ERROR: write(13, 0x2b6, 1048576) returned -1, errno 5, Input/output error (aiori-POSIX.c:517)"),
        ("ENOSPC", "ERROR: write(13, 0x7f, 4194304) failed, (aiori-POSIX.c:596), errno: 28, No space left on device"),
        ("ENOSPC", "cp: Fehler beim Schreiben von 'x': Auf dem Gerät ist kein Speicherplatz mehr verfügbar"),
        ("EDQUOT", "cp: Schreiben von 'x': Der zugewiesene Plattenplatz (Quota) ist überschritten"),
        ("EDQUOT", "cp: erreur d'écriture de 'x': Débordement du quota d'espace disque"),
        ("ENOSPC", "write /scratch/u/part-0003: no space left on device"),
        ("EDQUOT", 'on an `Err` value: Os { code: 122, kind: QuotaExceeded, message: "Disk quota exceeded" }'),
        ("ENOSPC", "Error: failed to write shard 3: No space left on device (os error 28)"),
        ("ENOSPC", "cp: error al escribir 'x': No queda espacio en el dispositivo"),
        ("ENOSPC", "cp: '/work/x' の書き込みエラー: デバイスに空き領域がありません"),
        ("EDQUOT", "dd: 写入 'x' 出错：超出磁盘限额"),
        ("EIO", "cat: x: Erreur d'entrée/sortie"),
        ("ESTALE", "Fortran runtime error: Stale file handle"),
        ("ESTALE", "ls: cannot access 'x': Stale NFS file handle"),
        ("ENOLCK", "h5py: OSError: [Errno 37] (unable to lock file, error message = 'No locks available')"),
        ("ENOSYS", "H5FD_sec2_lock(): unable to lock file, errno = 38, error message = 'Function not implemented'"),
        ("ENOSYS", "ADIOI_Set_lock:: Function not implemented"),
        ("ESHUTDOWN", "cat: /lustre/x/input.nml: Cannot send after transport endpoint shutdown"),
        ("ENOMEM", "12: Out of memory in file /tmp/mpt/src/mpi/romio/adio/ad_cray/ad_cray_write_coll.c, line 512"),
        ("ENOMEM", "Out of memory in file ../../src/mpi/romio/mpi-io/../adio/common/ad_read_coll.c, line 7"),
        ("EMFILE", "OSError: [Errno 24] Too many open files: 'part-00981.nc'"),
        ("EMFILE", "forrtl: Too many open files"),
        ("EMFILE", "/bin/sh: part-7.out: Too many open files"),
        ("ENFILE", "open o.dat: Too many open files in system"),
        (
            "EAGAIN",
            "H5FD__sec2_lock(): unable to lock file, errno = 11, error message = 'Resource temporarily unavailable'",
        ),
        ("ENOTSUPP", "H5FD_sec2_lock(): unable to lock file, errno = 524, error message = 'Unknown error 524'"),
        ("EOPNOTSUPP", "h5py: unable to lock file, errno = 95, error message = 'Operation not supported'"),
        ("EACCES", "PermissionError: [Errno 13] Permission denied: '/work/x/o.nc'"),
        (
            "EACCES",
            "H5FD_sec2_open(): unable to open: name = 'o', errno = 13, error message = 'Permission denied'",
        ),
        ("EACCES", "nc_open: Permission denied"),
        ("EACCES", "Fortran runtime error: Cannot open file '/p/in.nml': Permission denied"),
        ("EACCES", "forrtl: severe (9): permission to access file denied, unit 10, file /p/in.nml"),
        ("ETIMEDOUT", "OSError: [Errno 110] Connection timed out: '/scratch/p/o.h5'"),
        ("EHOSTDOWN", "cat: /beegfs/p/in.dat: Host is down"),
        ("ECOMM", "cp: error writing '/beegfs/p/o.dat': Communication error on send"),
        ("ENOSPC", ", filename = 'o.h5', file descriptor = 8, errno = 28, error message = 'No spa"),
        ("ENOSPC", "ADIOI_GEN_WriteContig(127)..........: Other I/O error No space left on device"),
        ("EDQUOT", "ADIOI_GEN_WriteStrided(101): Other I/O error Disk quota exceeded"),
        ("EDQUOT", "ADIOI_LUSTRE_Open(88)..: Quota exceeded for files"),
        ("ENOSPC", "ADIOI_GEN_OpenColl(60).: Not enough space for file "),
        ("EROFS", "OSError: [Errno 30] Read-only file system: '/work/u/o.bin'"),
        ("EROFS", "ADIO_OPEN(219)........: Read-only file or filesystem name"),
        ("EROFS", "open /ccs/proj/x/o.dat: read-only file system"),
        ("EFBIG", "OSError: [Errno 27] File too large"),
        ("ETXTBSY", "slurmstepd: error: execve(): /lustre/x/bin/solver: Text file busy"),
        ("ETXTBSY", "cp: cannot create regular file './a.out': Text file busy"),
        ("ENOTCONN", "cp: cannot stat '/mnt/data/x': Transport endpoint is not connected"),
        ("ENOTCONN", "OSError: [Errno 107] Transport endpoint is not connected: '/global/common/env'"),
        ("ENOSPC", "Error: ENOSPC: no space left on device, write"),
        ("EREMOTEIO", "cat: /home/u/in.dat: Remote I/O error"),
    ],
)
def test_other_reasons_and_other_languages(name: str, line: str) -> None:
    assert found(f"step 1\n{line}\nstep 2\n") == [(name, 1, 2, 2)]


@pytest.mark.parametrize(
    "line",
    [
        "tee: standard output: Input/output error",
        "bash: /dev/tty: Input/output error",
        "tail: error reading 'standard input': Input/output error",
        "Proc 0: MPI_File_open failed (MPI_ERR_IO: input/output error)",
        "failed: err=35, MPI_ERR_IO: input/output error",
        "Spazio esaurito sul device non è una buona notizia",
        "df: /net/old: Stale file handle",
        "find: '/work/other': Permission denied",
        "ls: cannot open directory '/work/other': Permission denied",
        "bash: ./run.sh: Permission denied",
        "user@host: Permission denied (publickey).",
        "PermissionError: [Errno 13] Permission denied: '/proc/1/io'",
        "PermissionError: [Errno 13] Permission denied: '/u/.cache/x'",
        "ssh: connect to host login port 22: Connection timed out",
        "curl: (28) Failed to connect to https://x.org/a/b port 443: Connection timed out",
        "OSError: [Errno 112] Host is down",
        "HTTPSConnectionPool(port=443): exceeded with url: /a/b (Caused by [Errno 110] Connection timed out)",
        "rsync: failed to connect to host x: /a/b: Connection timed out",
        "forrtl: severe (29): file not found, unit 10, file /p/in.nml",
        "OSError: [Errno 38] Function not implemented",
        "OSError: [Errno 95] Operation not supported: 'x'",
        "bash: fork: retry: Resource temporarily unavailable",
        "libgomp: Thread creation failed: Resource temporarily unavailable",
        "ioctl: Unknown error 524",
        "EROFS: Read-only file system",
        "- `ENOSPC` (28): No space left on device",
        "OSError: [Errno 107] Transport endpoint is not connected",
        "slurmctld: error: getpeername on /run/munge/socket: Transport endpoint is not connected",
        "WARNING: no cache: [Errno 30] Read-only file system: '/opt/conda/pkgs'",
        "mkdir -p failed for path /u/.config/x: [Errno 30] Read-only file system: '/u/.config'",
        "Read-only file system errors come from writing to $HOME on compute nodes.",
        "Text file busy means that you compiled while it ran.",
        "the mount is not ready: File too large for what is left of it",
        "MPICH ERROR [Rank 3] - Abort(1): Fatal error in PMPI_File_open: Quota exceeded for files, error stack:",
        "Abort(10) on node 2: Fatal error in PMPI_File_open: Not enough space for file , error stack:",
        "errno = 5, error message = 'No spa",
        "errno = 28, error message = 'Something else",
        "Out of memory in file mesh.c, line 12",
        "Out of memory in file /src/mpi/romio/adio/common/ad_read_coll.c, line 7, was what it said",
        "# Out of memory in file /src/mpi/romio/adio/common/ad_read_coll.c, line 7",
        "To avoid Too many open files, raise the limit.",
        "rank 3: Input/output error handler installed",
        "Input/output error",
        "If you see Disk quota exceeded, make room.",
        "# write: Disk quota exceeded",
        "+ echo cp: Disk quota exceeded",
        'echo "failed: Disk quota exceeded"',
        "the message is: Disk quota exceeded means that nothing is left",
        "Disk quota exceeded",
    ],
)
def test_mentions_are_none(line: str) -> None:
    assert found(f"step 1\n{line}\nstep 2\n") == []


def test_lines_of_all_ranks_are_one_part_for_each_reason() -> None:
    full = "".join(f"{rank}: tar: o{rank}: Cannot write: No space left on device\n" for rank in range(100))
    quota = "OSError: [Errno 122] Disk quota exceeded\n"
    assert found(quota + full + ".\n" * 50 + quota) == [("EDQUOT", 2, 1, 152), ("ENOSPC", 100, 2, 101)]


def test_what_cray_mpich_says_is_counted_once() -> None:
    evidence = read(
        "PE 0: ADIOI_CRAY_WRITECONTIG(412): filename='o.dat'  error='Disk quota exceeded'  errno=122  PE=0  W_rec=1  "
        "off=0  len=4096  See MPICH_MPIIO_ABORT_ON_RW_ERROR.\n"
    )
    assert evidence.of(SystemErrors) == ()


@pytest.mark.parametrize("end", ["\n", "\t\n", "\r\n"])
def test_what_is_read_at_once_comes_to_the_same(end: str) -> None:
    """A tab or a carriage return has each line read by itself."""
    lines = [
        f"{n}: forrtl: {WHAT[n % 3]}, unit {n}" if n % 7 else "Traceback (most recent call last):" for n in range(99)
    ]
    lines[50] = "PE 0: ADIOI_CRAY_WRITECONTIG(412): error='Disk quota exceeded'"
    lines[60] = "tee: standard output: Input/output error"
    of = {w: [n + 1 for n, line in enumerate(lines) if line.endswith(f"{w}, unit {n}")] for w in WHAT}
    assert found("".join(line + end for line in lines)) == [
        ("ENOSPC", len(of[WHAT[1]]), of[WHAT[1]][0], of[WHAT[1]][-1]),
        ("EIO", len(of[WHAT[2]]), of[WHAT[2]][0], of[WHAT[2]][-1]),
        ("EDQUOT", len(of[WHAT[0]]), of[WHAT[0]][0], of[WHAT[0]][-1]),
    ]


WHAT = ("Disk quota exceeded", "No space left on device", "Input/output error")


def test_lines_that_are_alike_are_read_at_once() -> None:
    data = b"".join(b"%d: forrtl: Disk quota exceeded, unit %d\n" % (n % 512, n) for n in range(999))
    machine = SystemErrorsMachine(Line(1, "cp: x: Disk quota exceeded"))
    assert machine.take(data + b"step 1\n", 0, len(data) + 7, 2) == len(data)
    (part,) = machine.close().parts
    assert isinstance(part, SystemErrors)
    assert (part.count, part.line, part.last_line) == (1000, 1, 1000)


LOCKING = (
    "File locking failed in ADIOI_Set_lock(fd {},cmd F_SETLKW/7,type F_WRLCK/1,whence 0) "
    "with return value FFFFFFFF and errno {}."
)


@pytest.mark.parametrize(("errno", "name"), [("26", "ENOSYS"), ("25", "ENOLCK"), ("5", "EIO"), ("5F", "EOPNOTSUPP")])
def test_what_romio_prints_of_a_lock_has_a_hexadecimal_number(errno: str, name: str) -> None:
    assert found(f"step 1\n{LOCKING.format(14, errno)}\n- If the file system is NFS, …\n") == [(name, 1, 2, 2)]


def test_romio_and_the_system_tell_of_the_same_locks() -> None:
    rank = f"{LOCKING.format(9, '26')}\nADIOI_Set_lock:: Function not implemented\nADIOI_Set_lock:offset 0, length 1\n"
    assert found(rank * 3) == [("ENOSYS", 3, 2, 8)]


def test_a_number_that_no_lock_fails_with_and_a_lines_source_are_none() -> None:
    assert found(LOCKING.format(9, "0") + "\n") == []
    assert found('FPRINTF(stderr, "File locking failed in ADIOI_Set_lock(fd %X,cmd %s/%X,type %s/%X) …");\n') == []


def test_what_a_mail_quotes_of_itself_is_counted_once() -> None:
    line = "OSError: [Errno 122] Disk quota exceeded: 'out.nc'"
    assert found(f"{line}\n" + "and\n" * 40 + f"> {line}\n") == [("EDQUOT", 1, 1, 42)]
    assert found(f"> {line}\n> {line}\n{line}\n") == [("EDQUOT", 2, 1, 3)]
    assert found(f"> {line}\n{line.replace('out', 'other')}\n") == [("EDQUOT", 2, 1, 2)]
    (part,) = read(f"> {line}\n").of(SystemErrors)
    assert part.message == line
