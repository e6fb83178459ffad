"""What is advised for a small buffer of a stream makes it a large one, as the C library here takes it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iotriage.rules.access.shared_log import OWN_LOG
from iotriage.rules.advice.snippets import LARGE_BUFFER

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>

static long writes(void) {
    char line[200];
    long found = -1;
    FILE *counts = fopen("/proc/self/io", "r");
    while (counts && fgets(line, sizeof line, counts)) sscanf(line, "syscw: %%ld", &found);
    return found;
}

int main(void) {
    FILE *stream = fopen("out", "w"), *log = stream;
    %s
    long before = writes();
    for (int n = 0; n < 10000; n++) fputs("0123456789012345678901234567890123456789\\n", log);
    fclose(log);
    printf("%%ld\\n", writes() - before);
}
"""


@pytest.mark.skipif(shutil.which("cc") is None or not Path("/proc/self/io").exists(), reason="no compiler, or no Linux")
@pytest.mark.parametrize("code", [LARGE_BUFFER.c, OWN_LOG.c], ids=["stream", "log"])
def test_a_large_buffer_is_written_at_once(code: str, tmp_path: Path) -> None:
    line = next(line for line in code.splitlines() if line.startswith("setvbuf("))
    (tmp_path / "buffer.c").write_text(PROGRAM % line)
    subprocess.run(["cc", "-o", "buffer", "buffer.c"], cwd=tmp_path, check=True)
    counted = subprocess.run(["./buffer"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert int(counted.stdout) == 1
