"""Which options of each launcher say how many, and which others take the next word: what stands behind them is the
program.

https://slurm.schedmd.com/srun.html, Cray's aprun(1), Open MPI's mpirun(1) (4.1, 5.0), MPICH's and Intel's mpiexec
(Hydra), HPE's of PALS, Fujitsu's, IBM's jsrun(1), https://flux-framework.readthedocs.io (flux-run).
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from iotriage_parsers.evidence.job_context import Launcher
from iotriage_parsers.frozen import frozen


@frozen
class LauncherOptions:
    """Options that are in none of these stand alone, or have their value behind a `=`. Those `with_number` have one
    where a number, or a list of them, is the next word: of launchers of one name, others' stand alone."""

    ranks: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()
    per_node: frozenset[str] = frozenset()
    with_value: frozenset[str] = frozenset()
    with_number: frozenset[str] = frozenset()
    with_two_values: frozenset[str] = field(default=frozenset())


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _with_either_dash(text: str) -> frozenset[str]:
    """Open MPI and Hydra take a long name behind one dash and behind two."""
    return frozenset(f"{dash}{name}" for name in text.split() for dash in ("-", "--"))


_MPIEXEC: Final = LauncherOptions(
    ranks=names("-n -np --np --n --ntasks -c"),
    nodes=_with_either_dash("nnodes"),
    per_node=names("-N") | _with_either_dash("ppn perhost npernode map-by"),
    with_value=names("-H -f -x -p -R -rf -l-file -wd -am -tune -a")
    | _with_either_dash(
        "hosts host hostlist hostfile machinefile machine rankfile wdir path prefix depth cpu-bind bind-to mem-bind "
        "gpu-bind rmk mca-file genvlist envlist oversubscribe-by rank-by configfile iface npersocket cpus-per-proc "
        "cpus-per-rank cpu-set cpu-list slot-list output-filename timeout stdin report-pid report-uri xterm app "
        "ompi-server server-wait-time personality output display runtime-options prepend-pattern outfile-pattern "
        "errfile-pattern nameserver launcher launcher-exec bootstrap bootstrap-exec membind topolib demux usize "
        "pmi-port order-nodes port grr gtool gtoolfile tmpdir umask gpath gwdir gumask branch-count pmi "
        "procinfo-file rlimits of of-proc ofprefix std std-proc stdprefix stdout stdout-proc stderr stderr-proc "
        "vcoordfile"
    ),
    # PALS's depth and Intel's ranks that are given the input; with Open MPI they debug and preload.
    with_number=names("-d -s"),
    with_two_values=_with_either_dash("genv env mca gmca prtemca pmixmca"),
)
OPTIONS: Final[dict[Launcher, LauncherOptions]] = {
    "srun": LauncherOptions(
        ranks=names("-n --ntasks"),
        nodes=names("-N --nodes"),
        per_node=names("--ntasks-per-node --tasks-per-node"),
        with_value=names(
            "-A -B -c -C -d -D -e -G -i -J -L -m -M -o -p -P -q -r -R -S -t -T -w -W -x --accel-bind --account "
            "--acctg-freq --bb --bbf --begin --chdir --cluster-constraint --clusters --comment --constraint "
            "--container --container-env --container-id --container-image --container-mounts --container-name "
            "--container-save --container-workdir --core-spec --cores-per-socket --cpu-bind --cpu_bind --cpu-freq "
            "--cpus-per-gpu --cpus-per-task --deadline --delay-boot --dependency --distribution --epilog --error "
            "--exclude --export --extra --extra-node-info --gid --gpu-bind --gpu-freq --gpus --gpus-per-node "
            "--gpus-per-socket --gpus-per-task --gres --gres-flags --het-group --hint --input --job-name --jobid "
            "--licenses --mail-type --mail-user --mcs-label --mem --mem-bind --mem_bind --mem-per-cpu --mem-per-gpu "
            "--mincpus --mpi --msg-timeout --network --nodefile --nodelist --ntasks-per-core --ntasks-per-gpu "
            "--ntasks-per-socket --open-mode --output --pack-group --partition --power --prefer --priority --profile "
            "--prolog --qos --relative --reservation --segment --signal --slurmd-debug --sockets-per-node --switches "
            "--task-epilog --task-prolog --thread-spec --threads --threads-per-core --time --time-min --tmp "
            "--treewidth --tres-bind --tres-per-task --uid --wait --wckey --workdir"
        ),
    ),
    "aprun": LauncherOptions(
        ranks=names("-n --pes"),
        per_node=names("-N --pes-per-node"),
        with_value=names(
            "-a -cc -cp -d -D -e -F -j -L -m -p -P -r -R -S -sl -sn -t -E --access-mode --architecture --batch-args "
            "--cc --cp --cpu-binding --cpu-binding-file --cpu-time-limit --cpus-per-cu --debug --depth "
            "--environment-override --exclude-node-list --memory-per-pe --node-list --numa-node-list "
            "--numa-nodes-per-node --p-governor --p-state --pes-per-numa-node --pipes --protection-domain --relaunch "
            "--specialized-cpus"
        ),
    ),
    "mpiexec": _MPIEXEC,
    "mpirun": _MPIEXEC,
    "jsrun": LauncherOptions(
        ranks=names("-n --nrs"),
        per_node=names("-r --rs_per_host"),
        with_value=names(
            "-a --tasks_per_rs -c --cpu_per_rs -g --gpu_per_rs -b --bind -d --launch_distribution "
            "-l --latency_priority -E --env -F --env_eval -D --env_no_propagate -h --chdir -o --stdio_stdout "
            "-k --stdio_stderr -t --stdio_input -e --stdio_mode --np -p -m --memory_per_rs -M --smpiargs -S "
            "--save_resources -U --use_resources -f --appfile -K --rs_per_socket -X --exit_on_error -P "
            "--pre_post_exec --erf_input --erf_output"
        ),
    ),
    "ibrun": LauncherOptions(ranks=names("-n -np"), with_value=names("-o")),
    "ccc_mprun": LauncherOptions(
        ranks=names("-n"),
        nodes=names("-N"),
        with_value=names("-c -f -m -T -p -q -Q -d -r -t -A -M -C -E"),
    ),
    "lrun": LauncherOptions(
        ranks=names("-n -p"), nodes=names("-N"), per_node=names("-T"), with_value=names("-c -g -M -W --smpiargs")
    ),
    "flux": LauncherOptions(
        ranks=names("-n --ntasks"),
        nodes=names("-N --nodes"),
        per_node=names("--tasks-per-node"),
        with_value=names(
            "-b -B -c -g -o -q -S -t --add-file --bank --bcast --begin-time --broker-opts --conf --cores "
            "--cores-per-task --cwd --dependency --env --env-file --env-remove --error --flags --gpus-per-node "
            "--gpus-per-task --input --job-name --nslots --output --queue --requires --rlimit --setattr --setopt "
            "--signal --taskmap --tasks-per-core --time-limit --urgency"
        ),
    ),
}
