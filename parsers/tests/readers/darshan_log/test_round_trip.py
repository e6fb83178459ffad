"""What is written is read: any counters, names and stream cuts, in any format."""

from __future__ import annotations

import numpy as np
from budget import examples
from darshan_corpus import evidence, read_bytes
from darshan_writer import SHAPES, Counters, Job, Log, Lustre, LustreFile, Stripes, build, with_flipped_bit
from hypothesis import given, settings
from hypothesis import strategies as st
from possible_values import possible_counts, possible_times

from iotriage_parsers.evidence import Evidence

CURRENT = {"POSIX": 4, "MPI-IO": 3, "STDIO": 2}
ids = st.integers(0, 2**64 - 1)
file_names = st.binary(max_size=40).map(lambda raw: raw.replace(b"\0", b"/"))


@st.composite
def tables(draw, module):
    int_names, float_names = SHAPES[module, CURRENT[module]]
    keys = draw(st.lists(st.tuples(ids, st.integers(-1, 7)), max_size=6, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return Counters(
        module,
        np.array([key for key, _ in keys], np.uint64),
        np.array([rank for _, rank in keys], np.int64),
        possible_counts(int_names, rng.integers(0, 2**50, (len(keys), len(int_names))), nprocs=8),
        possible_times(float_names, rng.random((len(keys), len(float_names))) * 1000),
        CURRENT[module],
        streams=draw(st.integers(1, 5)),
    )


@st.composite
def logs(draw):
    stripes = st.builds(
        Stripes,
        size=st.integers(1, 2**40),
        osts=st.lists(st.integers(0, 500), min_size=1, max_size=5),
        pool=st.just("p"),
    )
    files = draw(st.lists(st.builds(LustreFile, ids, st.tuples(stripes)), max_size=4))
    return Log(
        job=Job(nprocs=8, exe=draw(st.binary(min_size=1, max_size=60)).replace(b"\0", b"x").replace(b"\n", b"x")),
        names=draw(st.dictionaries(ids, file_names, max_size=8)),
        modules=(draw(tables("POSIX")), draw(tables("MPI-IO")), draw(tables("STDIO")), Lustre(files)),
        version=draw(st.sampled_from(["3.10", "3.20", "3.21", "3.41"])),
        byte_order=draw(st.sampled_from(["little", "big"])),
        compression=draw(st.sampled_from(["zlib", "bzip2"])),
        name_streams=draw(st.integers(1, 3)),
    )


@given(logs())
@settings(max_examples=examples(10), deadline=None)
def test_what_is_written_is_read(log):
    result = evidence(build(log))
    (read,) = result.parts
    assert dict(read.names) == {key: name.decode("utf-8", "backslashreplace") for key, name in log.names.items()}
    assert read.job.command_line == (log.job.exe.decode("utf-8", "backslashreplace").rstrip() or None)
    for module, table in zip(log.modules, (read.posix, read.mpiio, read.stdio), strict=False):
        if len(module.ids) == 0:
            assert table is None
            continue
        assert np.array_equal(table.ids, module.ids)
        assert np.array_equal(table.ranks, module.ranks)
        assert np.array_equal(table.ints, module.ints)
        assert np.array_equal(table.floats, module.floats)
    written = [(file.id, file.components[0].size, tuple(file.components[0].osts)) for file in log.modules[3].files]
    assert [(one.record, one.stripe_size, one.osts) for one in read.lustre] == written
    assert result.status == "complete"


@given(logs(), st.data())
@settings(max_examples=examples(10), deadline=None)
def test_a_flip_in_the_regions_is_said_or_changes_nothing(log, data):
    whole = build(log)
    first = 1328 if log.version == "3.41" else 360
    broken = with_flipped_bit(whole, data.draw(st.integers(first, len(whole) - 1)), data.draw(st.integers(0, 7)))
    result = read_bytes(broken)
    if isinstance(result, Evidence) and result.status == "complete":
        intact = evidence(whole).parts[0]
        for name in ("posix", "mpiio", "stdio"):
            one, other = getattr(intact, name), getattr(result.parts[0], name)
            assert (one is None) == (other is None)
            assert one is None or (np.array_equal(one.ints, other.ints) and np.array_equal(one.floats, other.floats))
        assert intact.lustre == result.parts[0].lustre
        assert dict(intact.names) == dict(result.parts[0].names)


@given(st.binary(max_size=4000))
@settings(max_examples=examples(10), deadline=None)
def test_noise_behind_a_header_is_answered(noise):
    head = build(Log())[:1328]
    read_bytes(head + noise)
    read_bytes(b"3.41\0\0\0\0" + (6567223).to_bytes(8, "little") + noise)
    read_bytes(noise)
