"""Files whose contents the kernel makes each time: nobody reads an input again there."""

import pytest
from described import MIB, Part, Work, document

from iotriage.analysis.document import Finding

SAID_ABOVE = "the same a second time"
OUTPUT = Part("/scratch/o.{}", range(64), writes=10, size=MIB, write_s=0.1)


def findings(path: str, layer: str) -> dict[str, Finding]:
    """By rule, those that are more than a note."""
    part = Part(path, range(64), layer, reads=40_000, size=1000, opens=40_000, read_s=3.0, meta_s=20.0, reach=1000)
    found = document(Work((part, OUTPUT), nprocs=64, runtime_s=100.0, nodes=1)).findings
    return {f.rule: f for f in found if isinstance(f, Finding) and f.verdict == "triggered" and f.severity != "info"}


def polled(path: str, layer: str) -> dict[str, str]:
    """Of each of these what it advises first."""
    return {rule: found.advice[0].text for rule, found in findings(path, layer).items()}


@pytest.mark.parametrize("path", ["/proc/self/status", "/sys/class/powercap/intel-rapl:0/energy_uj"])
@pytest.mark.parametrize("layer", ["POSIX", "STDIO"])
def test_what_is_looked_up_there_is_looked_up_less_often(path: str, layer: str) -> None:
    told = polled(path, layer)
    assert told["reopened-files"].startswith("Look less often")
    assert not {"redundant-reads", "stdio-reread"} & set(told)
    assert told.get("small-io", SAID_ABOVE) == SAID_ABOVE
    # Nobody waits for what the kernel says.
    assert findings(path, layer)["reopened-files"].could_save_s is not None


def test_files_in_the_memory_of_the_node_hold_what_was_written_there() -> None:
    assert "stdio-reread" in polled("/dev/shm/table.txt", "STDIO")
