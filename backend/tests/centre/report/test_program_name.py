"""What a job is called by where its executable is that of many."""

from __future__ import annotations

import pytest

from iotriage.centre.program_name import program_name


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/work/vasp_std -i in.dat", "vasp_std"),
        ("/usr/bin/python3 -u -W ignore /w/train.py --epochs 4", "python train.py"),
        ("python3.11 -m mypkg.run a", "python mypkg.run"),
        ("python3 -c import", "python3"),
        ("python3 -Ic import", "python3"),
        ("python", "python"),
        ("/bin/bash run.sh", "bash run.sh"),
        ("bash -o pipefail -x run.sh", "bash run.sh"),
        ("bash -lc cd x", "bash"),
        ("perl -ne print", "perl"),
        ("singularity exec --nv -B /a:/b img.sif python3 post.py", "python post.py"),
        ("apptainer --quiet exec --bind=/a img.sif ./lmp -in x", "lmp"),
        ("singularity run img.sif x", "singularity img.sif"),
        ("apptainer run --nv -B /a:/b /w/images/lammps.sif lmp -in x", "apptainer lammps.sif"),
        ("apptainer run docker://quay.io/a/icon:2.6 -n 4", "apptainer icon:2.6"),
        ("apptainer run", "apptainer"),
        ("singularity exec", "singularity"),
        ("shifter --image=x python a.py", "python a.py"),
        ("ch-run -b /a img -- ./prog", "prog"),
        ("java -Xmx2g -cp a.jar Main", "java Main"),
        ("java -jar /x/app.jar", "java app.jar"),
        ("/usr/lib/R/bin/exec/R --no-echo --file=/w/a.R", "R a.R"),
        ("Rscript --vanilla b.R", "R b.R"),
        ("julia -t 4 --project=. c.jl", "julia c.jl"),
        ("bash bash bash", "bash bash"),
        ("python3 -mpkg.run a.py", "python pkg.run"),
        ("python3 -um pkg.run a.py", "python pkg.run"),
        ("python3 -Wignore::ResourceWarning -c import", "python3"),
        ("python3 -Xfrozen_modules=c a.py", "python a.py"),
        ("perl -Iinclude -MFile::Slurpe a.pl", "perl a.pl"),
        ("ruby -rfile a.rb", "ruby a.rb"),
        ("julia -Cnative a.jl", "julia a.jl"),
        ("R CMD BATCH --vanilla /w/a.R a.out", "R a.R"),
        ("R -f /w/a.R", "R a.R"),
        ("podman-hpc run --rm -v /x:/y -e A=1 ubuntu:22 python3 a.py", "python a.py"),
        ("podman run --rm -v /x:/y -e A=1 ubuntu:22 python3 a.py", "python a.py"),
        ("shifter -i x -m mpich python3 a.py", "python a.py"),
        ("ch-run -W img -- ./prog", "prog"),
        ("singularity -v exec -e --network none img ./lmp", "lmp"),
        ("singularity exec img " * 400, "singularity"),
    ],
)
def test_what_an_executable_runs_names_the_job(command: str, name: str) -> None:
    assert program_name(command.split()[0], command) == name


def test_a_job_without_a_command_line_is_called_by_its_executable() -> None:
    assert program_name("/sw/plume", None) == "plume"
    assert program_name(None, " ") is None
