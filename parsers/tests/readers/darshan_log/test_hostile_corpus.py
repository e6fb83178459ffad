"""The extra corpus of damaged, lying and attacking logs: each gives evidence or a failure, at once, and says what is
wrong. The words wanted for each file are the essence of its entry in repro.tsv and lies.tsv."""

from __future__ import annotations

import resource

import pytest
from darshan_corpus import hostile_logs, read_bytes

from iotriage_parsers.evidence import Evidence, Failure

HEALTHY = {
    "ok_control",
    "minus1_na",
    "mixed_mpiio",
    "non_utf8_name",
    "exe_non_utf8",
    "xss_exe",
    "xss_meta",
    "xss_name",
    "newline_name",
    "formula_name",
    "path_tricks",
    "long_name_4000",
    "long_name_10k",
    "many_names",
}
"""Legal, if odd: read whole, without a complaint."""

LOSES_DATA = {
    "dup_records": ("POSIX", "49 records are exact copies"),
    "abrt_name_tail": ("name table", "within an entry"),
    "abrt_job_len0": ("name table", "job record"),
    "abrt_modlen_2p32": ("POSIX", "4,294,967,296 bytes"),
    "abrt_rank_ge_nprocs": ("POSIX", "rank"),
    "hang_bgq_v1": ("BG/Q", "not a whole number of records"),
    "heapovf_heatmap_nbins_neg1": ("HEATMAP", "-1 bins"),
    "heatmap_nbins_2p27": ("HEATMAP", "134217728 bins"),
    "mem_heatmap_1e12": ("HEATMAP", "1000000000000 bins"),
    "heapovf_lustre_stripes_neg": ("LUSTRE", "-10 stripes"),
    "heapovf_lustre_v1_neg": ("LUSTRE", "-1 stripes"),
    "oob_lustre_stripe_count": ("LUSTRE", "stripes"),
    "leak_lustre_stripe_5000": ("LUSTRE", "stripes"),
    "uaf_name_inflate_error": ("name table", "checksum"),
    "oobwrite_accum_nprocs_ovf": ("job record", "ranks"),
    "nprocs_2p31": ("job record", "2147483648 ranks"),
    "nprocs_0": ("job record", "0 ranks"),
    "nprocs_neg5": ("job record", "-5 ranks"),
    "nprocs_lt_rank": ("POSIX", "rank"),
    "rank_neg7": ("POSIX", "-7"),
    "dxt_len_int_trunc": ("DXT_POSIX", "134217724 writes"),
    "heapovf_dxt_neg3": ("DXT_POSIX", "-3 writes"),
    "leak_dxt_neg_pos": ("DXT_POSIX", "-3 writes"),
    "leak_dxt_pos_neg": ("DXT_POSIX", "-20000 reads"),
    "segv_dxt_2p26": ("DXT_POSIX", "67108864 writes"),
    "segv_dxt_2p59": ("DXT_POSIX", "576460752303423488 writes"),
    "silent_trunc_half": (None, "truncated"),
    "silent_modver9": ("POSIX", "version 9"),
    "silent_wrong_bitflip": ("POSIX", "checksum"),
    "partial_all": ("POSIX", "lower bound"),
    "neg_counters": ("POSIX", "not available"),
    "huge_counters": ("POSIX", "not available"),
    "nan_timers": ("POSIX", "not a number"),
    "inf_timers": ("POSIX", "infinite"),
    "neg_timers": ("POSIX", "negative"),
    "time_gt_runtime": ("POSIX", "longer than the run"),
    "nsec_lie": ("job record", "nanoseconds"),
    "epoch0": ("job record", "start time"),
    "end_before_start": ("job record", "before it begins"),
    "year_5138": ("job record", "cannot be true"),
    "start_2p62": ("job record", "start time"),
}

ONLY_SAID = {
    "hang_name_2MiB": ("name table", "cut to"),
    "long_name_1500k": ("name table", "cut to"),
    "uninit_mounts": ("job record", "mount table"),
    "exe_no_nl_no_nul": ("job record", "fill the job record"),
    "meta_no_equals": ("job record", "metadata"),
    "uid_neg": ("job record", "negative"),
    "no_names": ("POSIX", "no name"),
    "empty_name": ("name table", "empty file name"),
    "ovf_heatmap_one_bin_short": ("HEATMAP", "number of bins"),
}

LOGS = [pytest.param(path, id=path.stem) for path in hostile_logs()]


@pytest.mark.parametrize("path", LOGS)
def test_every_hostile_log_is_answered(path):
    name = path.stem
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = read_bytes(path.read_bytes())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 512 * 1024
    assert isinstance(result, Evidence), result
    if name in HEALTHY:
        assert result.problems == ()
        assert result.parts[0].posix is not None
    else:
        where, word = LOSES_DATA[name] if name in LOSES_DATA else ONLY_SAID[name]
        assert any(p.where == where and word in p.message for p in result.problems), result.problems
        assert result.status == ("partial" if name in LOSES_DATA else "complete")


def test_each_damaged_module_leaves_the_others():
    results = {path.stem: read_bytes(path.read_bytes()) for path in hostile_logs()}
    for name, result in results.items():
        assert not isinstance(result, Failure)
        where = LOSES_DATA.get(name, (None, ""))[0]
        if where in ("HEATMAP", "LUSTRE", "name table"):
            assert result.parts[0].posix is not None, name
