"""Where unexplained time passes in files of another machine, of an object store, or of memory."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document

READS = Part("/mnt/there/d.{}", range(16), reads=2000, size=4 * MIB, read_s=300.0)


def asked(mount: str, *, program: str = "/sw/app", part: Part = READS) -> tuple[str, str | None]:
    mounts = (("/scratch", "lustre"), ("/mnt/there", mount), ("/home", "nfs"))
    found = document(Work((part,), 16, 400.0, nodes=2, program=program, mounts=mounts)).unexplained
    assert found is not None
    return found.experiment or "", found.command


@pytest.mark.parametrize(
    ("mount", "said", "line"),
    [
        ("fuse.sshfs", "one encrypted connection. Copy what is read to /scratch before the job begins", "rsync"),
        ("fuse.s3fs", "an object store, shown as files by s3fs", "rclone copy"),
        ("cifs", "the largest file lies on a Windows share (SMB), where often one server", "dd if="),
        ("nfs4", "the largest file lies on NFS, where often one server", "dd if="),
    ],
)
def test_what_is_mounted_from_elsewhere_is_named_and_its_data_copied_or_tried(mount: str, said: str, line: str) -> None:
    sentence, command = asked(mount)
    assert said in sentence
    assert (command or "").startswith(line)


def test_who_copies_the_data_is_not_told_to_copy_it() -> None:
    assert "Copy what is read" not in asked("fuse.sshfs", program="/usr/bin/rsync -a /mnt/there /scratch")[0]


def test_where_the_files_are_in_memory_no_storage_is_tried() -> None:
    part = Part("/mnt/there/d.{}", range(16), writes=20_000, size=MIB, write_s=60.0)
    sentence, command = asked("tmpfs", part=part)
    assert "in the memory of the node" in sentence
    assert command is None


def test_another_file_system_that_is_not_known_is_traced() -> None:
    assert "trace one short run" in asked("fuse.unheard-of")[0]


@pytest.mark.parametrize(("mount", "past"), [("nfs4", True), ("xfs", True), ("cifs", False)])
def test_what_memory_has_of_the_file_is_not_measured_where_the_mount_can_pass_it(mount: str, past: bool) -> None:
    _, command = asked(mount)
    assert ("iflag=direct" in (command or "")) is past
    assert "if=/mnt/there/d." in (command or "")


@pytest.mark.parametrize("mount", ["nfs4", "ext4"])
def test_where_no_file_is_large_enough_one_is_written_read_and_removed(mount: str) -> None:
    small = Part("/mnt/there/d.{}", range(16), reads=100, size=4 * MIB, read_s=300.0)
    _, command = asked(mount, part=small)
    calls = [part.split()[0] for part in (command or "").split(" && ")]
    assert calls == ["dd", "dd", "rm"]
    assert "if=/mnt/there" not in (command or "")
