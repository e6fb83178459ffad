"""Files of which a library makes several for one name, and alone knows what lies in which."""

from __future__ import annotations

import re

BP = re.compile(r"\.bp([345]?/data\.\d+|\.dir/[^/]*\.bp\.\d+)$")
"""A subfile of ADIOS2's BP formats: out.bp/data.7 of BP4 and BP5, which openPMD calls out.bp4 and out.bp5,
out.bp.dir/out.bp.7 of BP3."""
