"""Packages that show what others have computed."""

from __future__ import annotations

from iotriage.rules.advice.packages.package import READ, package, setting
from iotriage.rules.core import Citation

OF_VISUALISATION = (
    package(
        "ParaView",
        r"pv(server|batch|python|dataserver|renderserver)([_.-]\w+)*",
        setting(
            "data that lies in a file of each part is shared out among its processes (.pvtu, .pvti, .vtm, and of its "
            "reader of OpenFOAM CaseType = Decomposed Case), while one file may be read by all of them",
            "movers",
            ways=READ,
            cited=Citation("paraview-openfoam", "OpenFOAMReader: CaseType"),
        ),
    ),
)
