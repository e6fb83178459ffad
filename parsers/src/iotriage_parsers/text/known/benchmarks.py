"""Results of benchmarks in forms that are not read."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import RATES, kind_of

BENCHMARKS: Final = (
    kind_of(
        "E3SM-IO",
        rb"I/O bandwidth \((?:open-to-close|(?:write|read)-only)\)[ ]{1,12}= [\d.]{1,20} MiB/sec",
        "the times of the phases of writing the output of E3SM, and the rate with and without opening and closing",
        RATES,
    ),
    kind_of(
        "IOR without its head",
        rb"(?:write|read)[ ]+\d[\d.]{0,15}(?:[ ]+\d[\d.]{0,15}){7,9}[ \t\r]*$",
        "the rate and the seconds of single repetitions, without the ranks, the files and the sizes that they are of",
        f"Give all that IOR printed, from its first line on. {RATES}",
        named="rows of what IOR prints",
    ),
    kind_of(
        "mdtest without its head",
        rb"(?:File|Directory|Tree) (?:creation|stat|read|removal|rename)[ ]{1,20}:?[ ]+\d[\d.]{0,15}[ ]+\d",
        "operations per second, without the ranks and the files that they are of",
        f"Give all that mdtest printed, from its first line on. {RATES}",
        named="rows of what mdtest prints",
    ),
    kind_of(
        "elbencho without its head",
        rb"[A-Z]{4,12}[ ]+Elapsed time[ ]+:[ ]+\d",
        "the rates of its phases, of which nothing says what they are columns of",
        f"Give all that elbencho printed, from OPERATION on, which is read. {RATES}",
        named="rows of what elbencho prints",
    ),
    kind_of(
        "gdsio",
        rb"(?:IoType: |XferType: )(?:READ|WRITE|RAND\w{3,6}|GPUD|CPU\w{0,10})[ ,].{0,200}Throughput: \d",
        "the rate between files and the memory of one node's GPUs",
        RATES,
    ),
    kind_of(
        "MD-Workbench",
        rb"MD-Workbench total objects: \d|(?:precreate|benchmark|cleanup) process (?:max|min|mean):",
        "operations on small files per second",
        RATES,
    ),
    kind_of(
        "obdfilter-survey",
        rb".{0,60}Obdfilter-survey for case=|ost[ ]{1,4}\d{1,4} sz[ ]+\d+K rsz[ ]+\d+K obj ",
        "the rates of a server's OSTs, without clients or network",
        RATES,
    ),
    kind_of(
        "LNet's self-test",
        rb"\[LNet (?:Rates|Bandwidth) of \w{1,40}\]",
        "the rate of the network to the servers, without files",
        RATES,
        named="output of lst stat (LNet's self-test)",
    ),
    kind_of(
        "BeeGFS's storage benchmark",
        rb"(?:Server benchmark status:|(?:Read|Write) benchmark results:)[ \t\r]*$",
        "the rates of the storage targets, without clients or network",
        RATES,
        named="output of beegfs-ctl --storagebench",
    ),
    kind_of(
        "BTIO",
        rb"BTIO -- (?:statistics:|[A-Z -]{3,40} write interval:)",
        "the time that NAS's BT spent in I/O, its share of the run, and the rate",
        RATES,
    ),
    kind_of(
        "PIO's pioperf",
        rb"RESULT: (?:write|read)[ ]{1,12}(?:SUBSET|BOX)[ ]+\d",
        "the rate of each rearranger with so many I/O tasks and variables, in MB/s",
        RATES,
    ),
    kind_of(
        "fio's terse form",
        rb"3;fio-\d[\w.-]{0,20};[^;\n]{1,200};\d{1,9};\d",
        "the figures of each job without their names",
        f"Give what fio prints with --output-format=json, which is read. {RATES}",
        named="fio's terse output",
    ),
)
