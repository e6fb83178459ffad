"""Files that the runtime of a language or a library keeps for itself, where it is told by a variable."""

from __future__ import annotations

import re
from re import Pattern

from iotriage.rules.advice.placement import WORK_DIRECTORY
from iotriage.rules.advice.scratch import node_disk
from iotriage.rules.core import Advice, Citation, Context, advice
from iotriage.rules.core.action import Export
from iotriage_parsers.frozen import frozen


@frozen
class Cache:
    """`paths` matches where `runtime` keeps it unless `variable` says otherwise; `others` stands behind the folder that
    this is set to, where it may name several."""

    runtime: str
    paths: Pattern[str]
    variable: str
    others: str = ""


CACHES = (
    Cache("Julia", re.compile(r"/\.julia/(compiled|logs|scratchspaces)(/|$)"), "JULIA_DEPOT_PATH", ":"),
    Cache("the MATLAB Runtime", re.compile(r"/\.mcrCache[\d.]*(/|$)"), "MCR_CACHE_ROOT"),
    Cache("Triton", re.compile(r"/\.triton/(cache|dump)(/|$)"), "TRITON_CACHE_DIR"),
    Cache("CUDA", re.compile(r"/\.nv/ComputeCache(/|$)"), "CUDA_CACHE_PATH"),
    Cache("PyTorch", re.compile(r"/\.cache/torch_extensions(/|$)"), "TORCH_EXTENSIONS_DIR"),
    Cache("Matplotlib", re.compile(r"/\.(cache|config)/matplotlib(/|$)"), "MPLCONFIGDIR"),
)


DOWNLOADS = (
    Cache("Hugging Face", re.compile(r"/\.cache/huggingface(/|$)"), "HF_HOME", "huggingface"),
    Cache("PyTorch", re.compile(r"/\.cache/torch(/|$)"), "TORCH_HOME", "torch"),
    Cache("Keras", re.compile(r"/\.keras(/|$)"), "KERAS_HOME", "keras"),
    Cache("pip", re.compile(r"/\.cache/pip(/|$)"), "PIP_CACHE_DIR", "pip"),
    Cache(
        "conda", re.compile(r"/(\.conda|(mini|ana)conda3?|(mini|mamba)forge3?)/pkgs(/|$)"), "CONDA_PKGS_DIRS", "pkgs"
    ),
    Cache("Apptainer", re.compile(r"/\.apptainer/cache(/|$)"), "APPTAINER_CACHEDIR", "apptainer"),
    Cache("Singularity", re.compile(r"/\.singularity/cache(/|$)"), "SINGULARITY_CACHEDIR", "singularity"),
    Cache("the program", re.compile(r"/\.cache(/|$)"), "XDG_CACHE_HOME", "cache"),
)
"""Of what was fetched from elsewhere and is to stay: `others` is a folder of the file system for jobs."""

DISK = Citation("tacc-io", "Use Each Compute Node's /tmp Storage Space")


def move_cache(context: Context, path: str | None) -> tuple[Advice, ...]:
    """Where to the cache at `path` is moved; empty where it is none that is known."""
    found = None if path is None else next((c for c in CACHES if c.paths.search(path)), None)
    if found is None:
        return ()
    folder, expands = node_disk(context.site)
    text = (
        f"{found.runtime[0].upper()}{found.runtime[1:]} keeps these files for itself, and finds them again or makes "
        "them anew: put them on the disk or in the memory of each node, where no process waits for those of others."
    )
    return (advice(text, Export(found.variable, f"{folder}{found.others}", expands), citation=DISK),)


def move_downloads(path: str | None, citation: Citation) -> tuple[Advice, ...]:
    """Where to what was downloaded to `path`, at home, is moved; empty where it is not known by whom."""
    found = None if path is None else next((c for c in DOWNLOADS if c.paths.search(path)), None)
    if found is None:
        return ()
    text = (
        f"{found.runtime[0].upper()}{found.runtime[1:]} keeps these files at home wherever the job runs, unless a "
        "variable says otherwise: name a folder of yours on the file system for jobs, and move there what they hold."
    )
    return (
        advice(text, Export(found.variable, f"{WORK_DIRECTORY.value}/{found.others}", expands=True), citation=citation),
    )
