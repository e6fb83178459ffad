"""Programs that do the same with any file: what they read is data to them, whatever its name says."""

from __future__ import annotations

COPIES = ("cp", "mv", "rsync", "scp", "cat", "cpio", "install")
PACKS = ("tar", "gtar", "bsdtar")
ZIPS = ("zip", "unzip")
WALKS = ("rm", "find", "du", "ls", "chmod", "chown", "stat")
COMPRESSES = ("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd")
READS = ("md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "grep", "wc", "awk", "gawk", "sed", "cmp")
_OF_MPI = ("dcp", "dsync", "dcmp", "dtar", "dbz2", "dchmod", "drm", "dwalk", "dfind")
_OTHERS = ("mksquashfs", "pigz", "7z", "7za", "rclone", "restic", "borg", "git", "rg", "diff", "sort", "dd", "clamscan")

TAKE_ANY_FILE = frozenset((*COPIES, *PACKS, *ZIPS, *WALKS, *COMPRESSES, *READS, *_OF_MPI, *_OTHERS))
"""None of them starts by reading thousands of modules."""
