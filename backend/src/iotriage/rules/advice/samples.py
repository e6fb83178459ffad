"""What programs in Python read for training: samples, and the weights of models, by the names of the files."""

from __future__ import annotations

import re

from iotriage.rules.advice.calls import NAMED_PYTORCH, library_named
from iotriage.rules.core import Advice, Context, advice

SHARDS = 8
"""Files alike that all processes of a training read: a configuration or a table is in fewer."""


def about_samples(context: Context, text: str) -> tuple[Advice, ...]:
    """`text`, about the samples of a training, where Python reads as many files as trainings do; else empty. Files of
    netCDF are of models, and the weights of one no samples."""
    if library_named(context.file) == "netCDF-4" or holds_weights(context):
        return ()
    return (advice(text),) if in_python(context) and (context.files or 1) >= SHARDS else ()


def holds_weights(context: Context) -> bool:
    """Whether the file is, or may be, one of those that hold the weights of a model, by their names."""
    if surely_holds_weights(context):
        return True
    folder, _, name = (context.file or "").rpartition("/")
    told_by = f"{folder.rpartition('/')[2]}/{name}"
    saved = name.endswith(_SAVED) and _CHECKPOINT.search(told_by) is not None
    return (saved or _MODEL.fullmatch(name) is not None) and in_python(context)


def surely_holds_weights(context: Context) -> bool:
    """Whether nothing but weights has such a name: what is called a model may be one of the ground."""
    return _WEIGHTS.search((context.file or "").rpartition("/")[2]) is not None


def in_python(context: Context) -> bool:
    """Whether the program is an interpreter of Python."""
    return _PYTHON.fullmatch(context.program or "") is not None


_WEIGHTS = re.compile(
    r"\.(safetensors|gguf)$|^((pytorch_model(-\d+-of-\d+)?|model-\d+-of-\d+|consolidated[.-]\d+)\.(bin|pth?))$"
)
_MODEL = re.compile(r"model\.(bin|pth?)")
"""Of other programs than Python a model of the ground, or of whatever they compute."""
_SAVED = (*NAMED_PYTORCH, ".bin")
_CHECKPOINT = re.compile(r"ckpt|che?ck-?_?point|weights|(^|[^a-z])(models?|epoch|step)([^a-z]|$)", re.IGNORECASE)
"""What PyTorch has saved may be samples as well: the name or the folder says that it is a model."""
_PYTHON = re.compile(r"i?python[\d.]*|pypy[\d.]*")
