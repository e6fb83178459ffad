"""Options of the programs that run another within a container: which of them take the next word, and not one written
behind `=`.

https://apptainer.org/docs/user/main/cli/apptainer_exec.html, https://shifter.readthedocs.io,
https://hpc.github.io/charliecloud/ch-run.html, https://docs.podman.io/en/latest/markdown/podman-run.1.html,
https://sarus.readthedocs.io
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OF_SINGULARITY: Final = _listed(
    "-B --bind --mount -H --home --pwd --cwd -W --workdir -S --scratch -o --overlay --env --env-file --app --network "
    "--network-args --hostname --dns --security --add-caps --drop-caps --fusemount --apply-cgroups --cpus --memory"
)
_OF_PODMAN: Final = _listed(
    "-v --volume --mount -w --workdir -e --env --env-file -u --user --name --network --hostname --entrypoint "
    "--device --shm-size --ulimit -m --memory --cpus -p --publish --group-add --cap-add --security-opt"
)
VALUED: Final[Mapping[str, frozenset[str]]] = {
    "singularity": _OF_SINGULARITY,
    "apptainer": _OF_SINGULARITY,
    "shifter": _listed("-i --image -V --volume -w --workdir -e --env --env-file -m --module"),
    "ch-run": _listed("-b --bind -c --cd -g --gid -u --uid -s --storage --unset-env"),
    "podman": _OF_PODMAN,
    "podman-hpc": _OF_PODMAN,
    "sarus": _listed("--mount -w --workdir -e --env --device --annotation --mpi-type -n --name"),
}
"""By program: another may have the same option as a switch."""
