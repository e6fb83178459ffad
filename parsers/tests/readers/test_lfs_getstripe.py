"""lfs getstripe and lfs df: layouts in all their forms, and where one ends."""

from __future__ import annotations

from io import BytesIO

import pytest
from stats_text import REPOSITORY, codes, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, OstUsage, QuotaRoom, StripeLayout, UsedUp
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.lfs_getstripe import reader
from iotriage_parsers.readers.lfs_getstripe.df import MOST_ROWS
from iotriage_parsers.text.blocks import BlockResult
from iotriage_parsers.text.scan import scan

SAMPLES = REPOSITORY / "sample-logs" / "lfs_getstripe"
KIB, MIB, GIB = 2**10, 2**20, 2**30

PLAIN = """\
/scratch/w/a.nc
lmm_stripe_count:  2
lmm_stripe_size:   4194304
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 3
\tobdidx\t\t objid\t\t objid\t\t group
\t     3\t           881\t        0x371\t             0
\t     0\t           882\t        0x372\t             0

"""


def layouts(text: str) -> tuple[StripeLayout, ...]:
    return read(text).of(StripeLayout)


def only(text: str) -> StripeLayout:
    (found,) = layouts(text)
    return found


def sample(case: str) -> tuple[StripeLayout, ...]:
    (path,) = (SAMPLES / case).glob("*.txt")
    return layouts(path.read_text(encoding="utf-8"))


def test_the_plain_sample() -> None:
    file, directory = sample("plain")
    assert file.path == "/mnt/lustre/a2fs-work2/work/z19/z19/auser/plume/out/plume.0064.dat"
    assert (file.form, file.complete, file.lines.first, file.lines.last, file.path_line) == ("plain", True, 2, 9, 2)
    (stripes,) = file.components
    assert (stripes.stripe_count, stripes.stripe_size_bytes, stripes.first_ost, stripes.osts) == (1, MIB, 7, (7,))
    assert (stripes.start_bytes, stripes.end_bytes, stripes.pattern) == (0, None, "raid0")
    assert stripes.line_of("stripe_count") == 3
    (default,) = directory.components
    assert (directory.form, default.stripe_count, default.first_ost, default.osts) == ("directory-default", 8, None, ())
    assert directory.instantiated == ()


def test_the_progressive_sample() -> None:
    (found,) = sample("pfl")
    assert (found.form, found.path, found.entry_count, found.mirror_count) == ("composite", "field.bay.h5", 4, 1)
    on_mdt, first, second, rest = found.components
    assert (on_mdt.on_mdt, on_mdt.end_bytes, on_mdt.stripe_count, on_mdt.first_ost) == (True, 64 * KIB, 0, None)
    assert (first.start_bytes, first.end_bytes, first.osts, first.pool) == (64 * KIB, 256 * MIB, (21,), "disk")
    assert (second.end_bytes, second.stripe_size_bytes) == (32 * GIB, 4 * MIB)
    assert second.osts == (2, 9, 16, 23, 5, 12)
    assert (rest.end_bytes, rest.stripe_count, rest.over_all_osts, rest.flags) == (None, None, True, ())
    assert found.instantiated == (on_mdt, first, second)


@pytest.mark.parametrize("all_of_them", ["-1", "65535", "4294967295"])
def test_a_count_of_all_osts_is_no_number_with_or_without_its_sign(all_of_them: str) -> None:
    found = only(f"/scratch/w\nstripe_count:  {all_of_them} stripe_size:   1048576 stripe_offset: {all_of_them}\n\n")
    (default,) = found.components
    assert (default.stripe_count, default.over_all_osts, default.first_ost) == (None, True, None)


def test_the_command_names_the_file_where_no_path_is_printed() -> None:
    found = only("$ lfs getstripe -v /scratch/w/b.nc\n" + PLAIN.split("\n", 1)[1])
    assert (found.path, found.path_line) == ("/scratch/w/b.nc", 1)


def test_many_files_of_a_directory() -> None:
    text = "/scratch/w\nstripe_count:  4 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1\n\n"
    found = layouts(text + PLAIN + PLAIN.replace("a.nc", "b.nc"))
    assert [(f.form, f.path) for f in found] == [
        ("directory-default", "/scratch/w"),
        ("plain", "/scratch/w/a.nc"),
        ("plain", "/scratch/w/b.nc"),
    ]


def test_verbose() -> None:
    text = """\
field.dat
composite_header:
  lcm_magic:         0x0BD60BD0
  lcm_size:          272
  lcm_flags:         0
  lcm_layout_gen:    4
  lcm_mirror_count:  1
  lcm_entry_count:   2
components:
  - lcme_id:             1
    lcme_mirror_id:      0
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   1073741824
    lcme_offset:         128
    lcme_size:           56
    sub_layout:
      lmm_magic:         0x0BD10BD0
      lmm_stripe_count:  1
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: 5
      lmm_objects:
      - 0: { l_ost_idx:  5, l_fid:  [0x100050000:0x9:0x0] }

  - lcme_id:             2
    lcme_mirror_id:      0
    lcme_flags:          0
    lcme_extent.e_start: 1073741824
    lcme_extent.e_end:   EOF
    lcme_offset:         184
    lcme_size:           32
    sub_layout:
      lmm_magic:         0x0BD10BD0
      lmm_stripe_count:  8
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: -1
"""
    found = only(text)
    assert (found.path, found.complete, found.lines.first) == ("field.dat", True, 1)
    assert [(c.stripe_count, c.osts, c.end_bytes) for c in found.components] == [(1, (5,), GIB), (8, (), None)]


def test_yaml_objects() -> None:
    table = PLAIN.index("\tobdidx")
    yaml = "lmm_objects:\n      - l_ost_idx: 3\n        l_fid:     0x1:0x2:0x0\n      - l_ost_idx: 0\n"
    assert only(PLAIN[:table] + yaml).components[0].osts == (3, 0)


def test_the_oldest_form_is_a_table_alone() -> None:
    found = only("/scratch/w/a\n  obdidx   objid   objid   group\n  4   9   0x9   0\n  5   9   0x9   0\nnext\n")
    assert (found.complete, found.components[0].stripe_count, found.components[0].osts) == (True, 2, (4, 5))


@pytest.mark.parametrize(
    "torn", ["5.1.2   9   0x9   0", "5   9.1   0x9   0", "5   9   0x9", "5   9", "5   9   0x 9   0"]
)
def test_a_torn_row_of_a_table_is_said_and_the_stripes_are_not_counted(torn: str) -> None:
    text = f"/scratch/w/a\n  obdidx   objid   objid   group\n  4   9   0x9   0\n  {torn}\n  6   9   0x9   0\n"
    (layout,) = layouts(text)
    (component,) = layout.components
    assert (component.osts, component.stripe_count) == ((4, 6), None)
    assert codes(read(text)) == ["unrecognised-number"]


@pytest.mark.parametrize(
    ("old", "new", "stripes"),
    [
        ("lmm_pattern:       raid0", "lmm_pattern:       1", "raid0"),
        ("lmm_pattern:       raid0", "lmm_pattern:       raid0,compress", "raid0,compress"),
    ],
)
def test_patterns(old: str, new: str, stripes: str) -> None:
    assert only(PLAIN.replace(old, new)).components[0].pattern == stripes


@pytest.mark.parametrize(
    "text",
    [
        "stripe_count:  4 stripe_size:   1048576",
        "out.h5\nlmm_stripe_count:  4\nlmm_pattern:       raid0\nlmm_stripe_offset: 0\nlmm_stripe_size:   1048576",
    ],
)
def test_a_figure_at_the_end_of_a_text_may_be_cut(text: str) -> None:
    for whole in (text, text + "\n"):
        answer = detect.read(BytesIO(whole.encode()))
        parts = answer.of(StripeLayout) if isinstance(answer, Evidence) else ()
        sizes = {c.stripe_size_bytes for layout in parts for c in layout.components} - {None}
        assert sizes == ({1048576} if whole.endswith("\n") else set())


def test_a_cut_table_is_partial() -> None:
    evidence = read(PLAIN[: PLAIN.index("\t     0")])
    (found,) = evidence.of(StripeLayout)
    assert (found.complete, found.components[0].osts, evidence.status) == (False, (3,), "partial")
    assert "was cut off" in message(evidence, "unterminated")


def test_components_that_are_not_shown_are_said() -> None:
    lines = (SAMPLES / "pfl" / "field.getstripe.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    evidence = read("".join(lines[:17]))
    assert "shows 1 of 4 components" in message(evidence, "unterminated")


def test_a_number_that_is_none_is_absent_and_said() -> None:
    evidence = read(PLAIN.replace("4194304", "4,194,304"))
    assert evidence.of(StripeLayout)[0].components[0].stripe_size_bytes is None
    assert codes(evidence) == ["unrecognised-number"]


@pytest.mark.parametrize(("printed", "size"), [("64K", 64 << 10), ("4M", 4 << 20), ("2G", 2 << 30)])
def test_a_size_may_have_a_unit(printed: str, size: int) -> None:
    assert only(PLAIN.replace("4194304", printed)).components[0].stripe_size_bytes == size


def test_figures_of_options_alone_are_no_layout() -> None:
    text = "$ lfs getstripe -I2 -i -c f\n        lmm_stripe_count:  4\n        lmm_stripe_offset: 5\n$ ls\n"

    assert isinstance(detect.read(BytesIO(text.encode())), Failure)


def test_striping_of_a_yaml_configuration_is_none() -> None:
    text = b"output:\n  stripe_count: 4\n  stripe_size: 1M\n  path: /scratch\nstripe_count: 4 stripes\n"

    assert scan(BytesIO(text), [reader], Limits()) == ((), ())


DF = """\
UUID                   1K-blocks        Used   Available Use% Mounted on
bay-MDT0000_UUID      2147483648    10485760  2136997888   1% /scratch[MDT:0]
bay-OST0000_UUID    107374182400 53687091200 53687091200  50% /scratch[OST:0]
bay-OST000a_UUID    107374182400 21474836480 85899345920  20% /scratch[OST:10]

filesystem_summary: 214748364800 75161927680 139586437120  35% /scratch

"""


def test_lfs_df() -> None:
    (usage,) = read(DF).of(OstUsage)
    assert (usage.mount, [t.index for t in usage.osts], len(usage.mdts)) == ("/scratch", [0, 10], 1)
    assert usage.osts[0].total_bytes == 107_374_182_400 * KIB
    assert (usage.osts[1].used_bytes, usage.osts[1].line) == (21_474_836_480 * KIB, 4)


@pytest.mark.parametrize("instead", ["", "...\n", "[...]\n", "\u2026\n"])
def test_a_list_of_lfs_df_from_which_rows_were_left_out_says_so(instead: str) -> None:
    row = DF.splitlines(keepends=True)[3]
    for text in (
        DF,
        DF.replace("1K-blocks", "    bytes").replace("107374182400", "100.0T").replace("214748364800", "200T"),
    ):
        evidence = read(text.replace(row if row in text else text.splitlines(keepends=True)[3], instead))
        (usage,) = evidence.of(OstUsage)
        assert (len(usage.osts), usage.complete) == (1, False)
        assert [p.code for p in evidence.problems if p.loses_data] == ["unterminated"]
    assert read(DF).of(OstUsage)[0].complete
    without_summary = DF[: DF.index("filesystem")]
    assert read(without_summary).of(OstUsage)[0].complete
    assert not read(f"{without_summary}{instead or '...'}\n").of(OstUsage)[0].complete


@pytest.mark.parametrize("rest", ["", "\nfilesystem_summary: 214748364800 75161927680 139586437120  35% /scratch\n"])
def test_a_list_of_lfs_df_without_osts_lacks_them(rest: str) -> None:
    evidence = read("".join(DF.splitlines(keepends=True)[:2]) + rest)
    (usage,) = evidence.of(OstUsage)
    assert (len(usage.osts), len(usage.mdts), usage.complete, evidence.status) == (0, 1, False, "partial")


@pytest.mark.parametrize("between", ["step 1\nstep 2\n", "\n" * 8, "It was slow, as you see\n" * 30])
def test_dots_far_behind_a_list_of_lfs_df_are_no_rows_of_it(between: str) -> None:
    text = f"{DF[: DF.index('filesystem')]}{between}...\n"
    evidence = read(text)
    assert evidence.of(OstUsage)[0].complete
    assert not [p for p in evidence.problems if p.loses_data]


def test_lfs_df_in_units_and_of_inodes() -> None:
    human = DF.replace("1K-blocks", "    bytes").replace("107374182400", "      100.0T")
    (usage,) = read(human).of(OstUsage)
    assert usage.osts[0].total_bytes == 100 * 2**40
    inodes = DF.replace("1K-blocks", "   Inodes")

    assert scan(BytesIO(inodes.encode()), [reader], Limits())[0][0].found == BlockResult()
    full = inodes.replace("  1% /scratch", "100% /scratch")
    (found,) = read(full).of(UsedUp)
    assert (found.line, found.of, found.tool, found.mount, found.name) == (
        2,
        "files",
        "lfs df -i",
        "/scratch",
        "bay-MDT0000",
    )
    # Space is no inodes: there Lustre leaves some of each target to root.
    assert read(DF.replace("  1% /scratch", "100% /scratch")).of(UsedUp) == ()


QUOTAS = """\
Disk quotas for {} (uid 1009):
     Filesystem    used   quota   limit   grace   files   quota   limit   grace
          /work {}
uid 1009 is using default file quota setting
"""


@pytest.mark.parametrize(
    ("whose", "row", "of"),
    [
        ("usr bob", "21.5G      0k    250G       -  100000* 100000  100000  none", ["files"]),
        ("prj 7", "250G*     0k    250G       -  5*  5  5       -", ["space", "files"]),
        ("grp z19", "[107374182400]* 107374182400 107374182400 none  [5] 0 0 -", ["space"]),
        # More than a quota may be used until the time of grace is over.
        ("usr bob", "101G*    100G    250G  6d23h59m54s  5  0  0  -", []),
        ("usr bob", "250G*    100G    250G  6d23h59m54s  5  0  0  -", ["space"]),
        ("usr bob", "21.5G    0k    250G  -  100000 100000  100000  -", []),
        # As quota prints it, which leaves out the time of grace where there is none.
        ("user bob", "100M*    90M    100M   6days   5  0  0", ["space"]),
        ("user bob", "95M*    90M    100M   6days   5  0  0", []),
        ("user bob", "95M    0M    100M   5*  0  5", ["files"]),
        ("usr bob", "21.5G*  and so on", []),
    ],
)
def test_what_a_list_of_quotas_says_is_used_up(whose: str, row: str, of: list[str]) -> None:
    text = QUOTAS.format(whose, row) + PLAIN
    for printed in (text, text.replace("/work ", "/work\n   ")):
        found = read(printed).of(UsedUp)
        assert [part.of for part in found] == of
        assert {(part.mount, part.name) for part in found} <= {("/work", whose)}
        below = "*" not in row and not of
        assert [(part.mount, part.name) for part in read(printed).of(QuotaRoom)] == [("/work", whose)] * below


GPFS = """\
                         Block Limits                                    |     File Limits
Filesystem Fileset    type         blocks      quota      limit   in_doubt    grace |    files   quota    limit in_doubt
nobackup   p1234      FILESET      {} | {}
"""


@pytest.mark.parametrize(
    ("blocks", "files", "of"),
    [
        ("9.1T 10T 10T 0 none", "100000 100000 100000 0 none", ["files"]),
        ("9.1T 10T 10T 1T none", "100 100000 100000 0 none", ["space"]),
        ("9.1T 9T 10T 0 6 days", "100 0 0 0 none", []),
        ("9.1T 9T 10T 0 expired", "100 0 0 0 none e", ["space"]),
        ("9.1T 0 0 0 none", "100", []),
    ],
)
def test_what_mmlsquota_says_is_used_up(blocks: str, files: str, of: list[str]) -> None:
    text = GPFS.format(blocks, files).replace("in_doubt\n", "in_doubt    grace  Remarks\n") + PLAIN
    found = read(text).of(UsedUp)
    assert [(part.of, part.mount, part.name) for part in found] == [(o, "nobackup", "the fileset") for o in of]
    below = [part for part in read(text).of(QuotaRoom) if part.tool == "mmlsquota"]
    assert len(below) == (not of and "days" not in blocks and files != "100")


def test_a_verbose_plain_file_begins_above_its_stripe_count() -> None:
    found = only(
        PLAIN.replace("lmm_stripe_count", "lmm_magic:         0x0BD10BD0\nlmm_seq:           0x2\nlmm_stripe_count")
    )
    assert (found.path, found.lines.first, found.components[0].osts) == ("/scratch/w/a.nc", 1, (3, 0))


def test_what_the_output_is_piped_into_is_no_file() -> None:
    text = (
        "user@login:/work> lfs getstripe -d /work/run | head -3\n"
        "stripe_count:  4 stripe_size:   1048576 pattern:       0 stripe_offset: -1\n"
        "```\n"
        "stripe_count:  8 stripe_size:   1048576 pattern:       0 stripe_offset: -1\n"
    )
    assert [layout.path for layout in read(text).of(StripeLayout)] == ["/work/run", None]


DEFAULT = "stripe_count:  4 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1\n"


@pytest.mark.parametrize(
    ("above", "path"),
    [
        ("$ lfs getstripe -d ../run\n", "../run"),
        ("$ lfs getstripe -d .\n", "."),
        ("$ lfs getstripe -d '../my run'\n", "../my run"),
        ("$ lfs getstripe -d ../run | head -3\n", "../run"),
        ("node> lfs getstripe -d ../run |\nhead -3\n", "../run"),
        ("```\nlfs getstripe -d ../run\n```\n\n```\n", "../run"),
        ("$ for d in *; do lfs getstripe -d $d; done\n", None),
        ("It takes 35 minutes, 580 MB/s. lfs getstripe says\n", None),
        ("lfs getstripe says:\n", None),
        ("and this is what lfs getstripe prints:\n", None),
        ("The output of lfs getstripe -d /work/run is\n", "/work/run"),
        ("I ran lfs getstripe /work/run:\n", "/work/run"),
        ("[u@login run]$ lfs getstripe -d output.d\n", "output.d"),
        ("$ cd /work; lfs getstripe -d run\n", "run"),
        ("+ lfs getstripe -d run\n", "run"),
        ("$ lfs getstripe -d ../run\nis what they asked for.\n", None),
        ("\n", None),
    ],
)
def test_the_path_that_was_asked_for(above: str, path: str | None) -> None:
    assert only(above + DEFAULT).path == path


def test_some_figures_alone_are_not_cut_off() -> None:
    asked = read("$ lfs getstripe -d -c -S ../run\nstripe_count:  4 stripe_size:   1048576\n")
    (layout,) = asked.of(StripeLayout)
    assert (layout.path, layout.complete, codes(asked)) == ("../run", True, [])
    assert codes(read("$ lfs getstripe -d ../run\nstripe_count:  4 stripe_size:   1048576\n")) == ["unterminated"]


def test_what_a_component_is_extended_into_has_no_stripes_yet() -> None:
    text = """\
/bay/sea.h5
  lcm_layout_gen:    4
  lcm_mirror_count:  1
  lcm_entry_count:   2
    lcme_id:             1
    lcme_mirror_id:      0
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   67108864
      lmm_stripe_count:  1
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: 1
      lmm_objects:
      - 0: { l_ost_idx: 1, l_fid: [0x100010000:0x2:0x0] }

    lcme_id:             2
    lcme_mirror_id:      0
    lcme_flags:          extension
    lcme_extent.e_start: 67108864
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  0
      lmm_extension_size: 67108864
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: -1
"""
    found = only(text)
    assert (found.complete, [c.stripe_size_bytes for c in found.components]) == (True, [MIB, None])
    assert codes(read(text)) == []


@pytest.mark.parametrize("second", ["6710886", "18446744073709551615", ""])
def test_what_is_left_of_several_components_is_not_the_only_one(second: str) -> None:
    """Its stripes are those of a part of the file: the other is cut off, or it is not known which bytes it has."""
    head = "/scratch/sea\n  lcm_layout_gen:    3\n  lcm_entry_count:   2\n"
    first = (
        "    lcme_id:             1\n    lcme_flags:          init\n    lcme_extent.e_start: 0\n"
        "    lcme_extent.e_end:   1048576\n      lmm_stripe_count:  1\n      lmm_stripe_size:   1048576\n"
        "      lmm_pattern:       raid0\n      lmm_stripe_offset: 0\n"
    )
    rest = first.replace("_id:             1", "_id:             2").replace(
        "   1048576\n      lmm", f"   {second}\n      lmm"
    )
    for text in (head + first + (rest if second else ""), first.replace("1048576\n      lmm", "2097152\n      lmm")):
        (layout,) = read(text).of(StripeLayout)
        assert len(layout.components) == 1
        assert layout.only_component is None
    (whole,) = read(head.replace("2\n", "1\n") + first).of(StripeLayout)
    assert whole.only_component == whole.components[0]


@pytest.mark.parametrize(
    ("head", "of"),
    [
        ("Filesystem      Size  Used Avail Use% Mounted on", "space"),
        ("Dateisystem              Größe Benutzt Verf. Verw% Eingehängt auf", "space"),
        ("Dateisystem     1K-Blöcke  Benutzt Verfügbar Verw% Eingehängt auf", "space"),
        ("Sys. de fichiers blocs de 1K Utilisé Disponible Uti% Monté sur", "space"),
        ("Sys. de fichiers Inœuds IUtil. ILibre IUti% Monté sur", "files"),
        ("S.ficheros     Tamaño Usados  Disp Uso% Montado en", "space"),
        ("ファイルシス   サイズ  使用  残り 使用% マウント位置", "space"),
        ("文件系统        Inodes 已用(I) 可用(I) 已用(I)% 挂载点", "files"),
    ],
)
def test_df_in_other_languages(head: str, of: str) -> None:
    text = f"{head}\n10.0.0.1@tcp:/scratch     9,9T   9,9T     0  100% /scratch\n/dev/sda1  1,0T  0,5T  0,5T  50% /\n"
    (found,) = read(text).of(UsedUp)
    assert (found.of, found.mount, found.used) == (of, "/scratch", "9,9T")


def test_of_df_so_many_rows_are_looked_at() -> None:
    head, row = "Filesystem      Size  Used Avail Use% Mounted on\n", "/dev/sd{0}  1.5T  1.5T     0  100% /scratch{0}\n"
    found = read(head + "".join(row.format(i) for i in range(MOST_ROWS + 5))).of(UsedUp)
    assert [full.mount for full in found] == [f"/scratch{i}" for i in range(MOST_ROWS)]


@pytest.mark.parametrize("behind", ["", "   # before the run", " |"])
def test_df_whose_head_has_something_behind_it(behind: str) -> None:
    text = (
        f"Filesystem      Size  Used Avail Use% Mounted on{behind}\n/dev/sda1       1.5T  1.5T     0  100% /scratch\n"
    )
    (full,) = read(text).of(UsedUp)
    assert (full.of, full.mount) == ("space", "/scratch")
