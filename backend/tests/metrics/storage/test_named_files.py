"""Files of a log in the order of its names."""

import numpy as np
import pytest

from iotriage.metrics.tables.files.named import FEW_OF_ALL, in_order_of_names
from iotriage.metrics.tables.mounts import mount_above, mount_points_of
from iotriage_parsers.evidence import Mount

NAMES = {9: "/b/2", 4: "/a/1", 7: "/b/1", 5: "/elsewhere"}


@pytest.mark.parametrize("others", [0, FEW_OF_ALL * 4], ids=["among few names", "among many names"])
@pytest.mark.parametrize("ids", [[4, 7, 9], [1, 4, 7, 8, 9], [1, 8], []], ids=str)
def test_each_file_has_its_own_name_however_they_are_looked_up(ids: list[int], others: int) -> None:
    names = NAMES | {100 + i: f"/other/{i}" for i in range(others)}

    files = in_order_of_names(np.array(ids, np.uint64), names)

    assert dict(zip(files.ids[files.order].tolist(), files.names, strict=True)) == {i: names.get(i, "") for i in ids}
    assert files.order[files.places(files.ids)].tolist() == list(range(len(ids)))
    folders, of_file = files.numbered([name[:2] for name in files.names])
    assert [folders[place] for place in of_file.tolist()] == [names.get(i, "")[:2] for i in ids]
    assert list(folders) == list(dict.fromkeys(names.get(i, "")[:2] for i in ids))


def test_the_mounts_of_many_paths_are_those_of_each() -> None:
    mounts = [Mount("/", "xfs"), Mount("/work", "lustre"), Mount("/work/home/", "nfs4"), Mount("/workspace", "vast")]
    paths = [
        "/work/a/b/c/d.nc",
        "/work/x",
        "/work/home/u/x",
        "/workspace/q/r/s",
        "/works/y",
        "/tmp/x",
        "stdin",
        "/work",
    ]
    each = [None if (above := mount_above(path, mounts)) is None else above.path for path in paths]
    assert mount_points_of(paths, mounts) == each
    assert each == ["/work", "/work", "/work/home/", "/workspace", None, None, None, None]
