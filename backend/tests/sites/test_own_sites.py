"""An installation's own profile on the command line: used where it is good, refused with its line where it is not."""

from __future__ import annotations

import pytest

from iotriage.cli import main
from iotriage.rules.core.own_sites import check_own_sites
from iotriage.sites import OWN_SITES, BadSiteError, all_sites

HERE = """\
id = "here"
title = "Here"
status = "current"
checked = "2026-11-20"
version = "1"
detect_paths = ['^/lus/here(/|$)']

[[documents]]
key = "here-io"
title = "I/O at Here"
publisher = "Here"
systems = "Here's scratch"

[[file_systems]]
id = "scratch"
title = "Scratch"
kind = "lustre"
mounts = ['^/lus/here(/|$)']
osts = 24

[file_systems.source]
document = "here-io"
section = "Scratch"
says = "24 OSTs."

[[thresholds]]
threshold = "ssf-understriped.stripes"
value = 24
why = "All of them."

[thresholds.source]
document = "here-io"
section = "Scratch"
says = "Use all."
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    def written(text):
        (tmp_path / "here.toml").write_text(text, encoding="utf-8")
        monkeypatch.setenv(OWN_SITES, str(tmp_path))
        return tmp_path / "here.toml"

    return written


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_it_is_listed_and_printed_with_its_sources(own, capsys):
    own(HERE)
    check_own_sites()
    assert run("sites") == 0
    assert "here " in capsys.readouterr().out
    assert run("sites", "show", "here") == 0
    printed = capsys.readouterr().out
    assert "24 OSTs" in printed
    assert "[here-io, Scratch; read 2026-11-20]" in printed


JOBS = 'version = "1"\nscheduler = "pbs"\nlauncher = "mpiexec"\nranks_per_node_option = "--ppn"\n'


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "[ours: no document says so]"),
        (
            'running_jobs = { document = "here-io", section = "Jobs", says = "By PBS." }\n',
            "[here-io, Jobs; read 2026-11-20]",
        ),
    ],
)
def test_what_runs_and_starts_jobs_has_its_source_or_is_said_to_be_ours(own, capsys, source, said):
    own(HERE.replace('version = "1"\n', JOBS + source))
    assert run("sites", "show", "here") == 0
    printed = capsys.readouterr().out
    assert "Jobs are run by pbs, programs are started with mpiexec, ranks of a node by --ppn" in printed
    assert said in printed


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('threshold = "ssf-understriped.stripes"', 'threshold = "ssf-understriped.strips"', 27, "threshold of no rule"),
        ("value = 24", "value = 4096", 28, "must be 1 to 512, or 0"),
        (
            'document = "here-io"\nsection = "Scratch"\nsays = "24',
            'document = "x"\nsection = "S"\nsays = "24',
            22,
            "[[",
        ),
        (
            'version = "1"',
            'version = "1"\nrunning_jobs = { document = "x", section = "S", says = "Slurm." }',
            6,
            "running_jobs.document: 'x' is not known",
        ),
        ('version = "1"', 'version = "1"\nlauncher = "mpiexec"\nranks_per_node_option = "ppn"', 7, "such as --ppn"),
        ('version = "1"', 'version = "1"\ndarshan_library = "/x; rm -rf /.so"', 6, "path of a shared library"),
        ("osts = 24", "osts = twenty-four", 19, "not TOML"),
        ("osts = 24", "osts = 24\nosts = 25", 20, "not TOML"),
        ('kind = "lustre"', 'kind = "lustrous"', 17, "must be one of lustre"),
    ],
)
def test_a_bad_one_is_refused_with_file_line_and_reason_by_every_command(own, capsys, old, new, line, reason):
    assert HERE.count(old) == 1
    file = own(HERE.replace(old, new))
    with pytest.raises(BadSiteError):
        check_own_sites()
    assert run("sites") == 2
    said = capsys.readouterr().err
    assert said.startswith(f"iotriage: {file}:{line}: ")
    assert reason in said


def test_however_little_is_a_threshold_of_a_logarithmic_line_too(own):
    own(HERE.replace("ssf-understriped.stripes", "small-io.rank-time").replace("value = 24", "value = 0"))
    check_own_sites()
    assert all_sites()["here"].thresholds[0].value == 0


def test_one_that_is_not_there_is_said(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv(OWN_SITES, str(tmp_path / "none.toml"))
    assert run("rules") == 2
    assert "names no file and no folder" in capsys.readouterr().err


def test_an_unknown_site_is_bad_use(capsys):
    assert run("sites", "show", "atlantis") == 2
    assert "known: alps, archer" in capsys.readouterr().err


def test_a_profile_prints_where_its_documents_are_and_whole_rates(capsys):
    assert run("sites", "show", "frontier") == 0
    printed = capsys.readouterr().out
    assert "at most 10,000 GB/s written" in printed
    assert "    https://docs.olcf.ornl.gov/data/index.html\n" in printed
    assert "[olcf-frontier] " in printed
