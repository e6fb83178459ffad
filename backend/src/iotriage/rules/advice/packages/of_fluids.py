"""Packages that compute fluids, waves and the solid earth."""

from __future__ import annotations

from iotriage.rules.advice.packages.package import BOTH, READ, package, setting
from iotriage.rules.core import Citation

_COLLATED = r"/processors\d+(_\d+-\d+)?/"
"""The folder in which OpenFOAM has one file of many processes."""
_TIMES = "writeInterval and purgeWrite in system/controlDict say how many times there are"

OF_FLUIDS = (
    package(
        "OpenFOAM",
        r"\w*Foam|foamRun|decomposePar|reconstructPar(Mesh)?|redistributePar|snappyHexMesh|renumberMesh|mapFields(Par)?",
        setting(
            "-fileHandler collated has one file of all processes for each field and time, instead of one each",
            "files",
            ways=BOTH,
            unless=_COLLATED,
            typed=r"(?<!\S)-fileHandler\s+(collated|hostCollated)(?!\S)",
            cited=Citation("openfoam-switches", "OptimisationSwitches: fileHandler"),
        ),
        setting(
            "the files are collated already, and FOAM_IORANKS, as '(0 128 256)', has several ranks write and read, "
            "each for those behind it, where the case was decomposed with it too",
            "movers",
            ways=BOTH,
            where=_COLLATED,
            cited=Citation("openfoam-collated", "Description"),
        ),
        setting(
            "writeControl and writeInterval of each function object say after how many steps it writes a line below "
            "postProcessing",
            "amount",
            where=r"/postProcessing/",
            cited=Citation("openfoam-time-control", "Class Foam::timeControl"),
        ),
        setting(
            _TIMES, "amount", "files", cited=Citation("openfoam-time", "Time::readDict: writeInterval, purgeWrite")
        ),
        setting(
            _TIMES,
            "files",
            ways=READ,
            unless=_COLLATED,
            cited=Citation("openfoam-time", "Time::readDict: writeInterval, purgeWrite"),
        ),
        setting(
            "runTimeModifiable false in system/controlDict has it not look whether its files have changed, and where "
            "all ranks look, fileModificationChecking timeStampMaster in OptimisationSwitches, the default, has one "
            "look for all",
            "asks",
            cited=Citation("openfoam-switches", "OptimisationSwitches: fileModificationChecking"),
        ),
    ),
    package(
        "SU2",
        r"SU2_\w+",
        setting(
            "OUTPUT_FILES in the configuration names the formats: RESTART and PARAVIEW are binary and written by all "
            "ranks, RESTART_ASCII, CSV and PARAVIEW_ASCII text",
            "movers",
            "calls",
            cited=Citation("su2-config", "INPUT/OUTPUT FILE INFORMATION"),
        ),
        setting(
            "OUTPUT_WRT_FREQ says how often it writes",
            "amount",
            cited=Citation("su2-config", "SCREEN/HISTORY VOLUME OUTPUT"),
        ),
        setting(
            "READ_BINARY_RESTART = YES reads a binary restart by all ranks, and a mesh in CGNS is read so too",
            "movers",
            "calls",
            ways=READ,
            cited=Citation("su2-config", "INPUT/OUTPUT FILE INFORMATION"),
        ),
    ),
    package(
        "code_saturne",
        r"cs_solver",
        setting(
            "cs_file_set_default_access(CS_FILE_MODE_WRITE, CS_FILE_MPI_COLLECTIVE, MPI_INFO_NULL) in "
            "cs_user_performance_tuning.c writes collectively",
            "movers",
            "calls",
            together=True,
            cited=Citation("saturne-file", "cs_file_set_default_access"),
        ),
        setting(
            "cs_file_set_default_access(CS_FILE_MODE_READ, CS_FILE_MPI_COLLECTIVE, MPI_INFO_NULL) in "
            "cs_user_performance_tuning.c reads collectively",
            "movers",
            "calls",
            ways=READ,
            together=True,
            cited=Citation("saturne-file", "cs_file_set_default_access"),
        ),
        setting(
            "cs_file_set_default_comm in cs_user_performance_tuning.c says by how many ranks it writes and reads",
            "movers",
            "calls",
            ways=BOTH,
            cited=Citation("saturne-file", "cs_file_set_default_comm"),
        ),
    ),
    package(
        "Nek5000",
        r"nek5000",
        setting(
            "writeNFiles in [GENERAL] of the .par file says how many files an output has",
            "movers",
            "files",
            cited=Citation("nek-guide", "writeNFiles"),
        ),
        setting(
            "writeControl and writeInterval in [GENERAL] of the .par file say how often it writes",
            "amount",
            cited=Citation("nek-guide", "GENERAL keys in the .par file"),
        ),
    ),
    package(
        "Nektar++",
        r"(IncNavierStokes|CompressibleFlow|ADR|APE|Acoustic|CardiacEP|Diffusion|LinearElastic|PulseWave|ShallowWater)"
        r"Solver([-_.]\w+)*",
        setting(
            "--io-format Hdf5 on its command line writes one file of all ranks, instead of one each, where it was "
            "built with HDF5",
            "files",
            typed=r"(?<!\S)(--io-format|-i)(=|\s+)Hdf5(?!\S)",
            cited=Citation("nektar-guide", "Command-line Options: --io-format"),
        ),
        setting(
            "OutputFrequency of the filter Checkpoint says after how many steps it writes",
            "amount",
            cited=Citation("nektar-guide", "Filters: Checkpoint fields"),
        ),
    ),
    package(
        "ASPECT",
        r"aspect([_.-]\w+)*",
        setting(
            "Number of grouped files in Postprocess/Visualization says into how many files the graphical output of all "
            "ranks goes, 0 being one of each rank and 1 a single one, by MPI-IO",
            "files",
            "movers",
            cited=Citation("aspect-parameters", "Number of grouped files"),
        ),
        setting(
            "Time between graphical output says how often it writes",
            "amount",
            cited=Citation("aspect-parameters", "Time between graphical output"),
        ),
    ),
    package(
        "SPECFEM3D",
        r"x(specfem3D|meshfem3D|generate_databases|decompose_mesh)",
        setting(
            "ADIOS_ENABLED = .true. in DATA/Par_file, with ADIOS_FOR_DATABASES and ADIOS_FOR_MESH, writes and reads "
            "these with ADIOS instead of into files of each rank, where it was built with it",
            "files",
            ways=BOTH,
            cited=Citation("specfem-parameters", "read_parameter_file: ADIOS_ENABLED"),
        ),
        setting(
            "SAVE_ALL_SEISMOS_IN_ONE_FILE = .true. in DATA/Par_file writes all seismograms into one large file, "
            "instead of one each",
            "files",
            cited=Citation("specfem-parameters", "SAVE_ALL_SEISMOS_IN_ONE_FILE"),
        ),
        setting(
            "USE_BINARY_FOR_SEISMOGRAMS = .true. in DATA/Par_file writes seismograms in binary (of SPECFEM3D_GLOBE "
            "USE_BINARY_FOR_LARGE_FILE, of those in one file)",
            "amount",
            cited=Citation("specfem-parameters", "USE_BINARY_FOR_SEISMOGRAMS"),
        ),
        setting(
            "NTSTEP_BETWEEN_OUTPUT_SEISMOS says after how many steps they are written",
            "amount",
            cited=Citation("specfem-parameters", "NTSTEP_BETWEEN_OUTPUT_SEISMOS"),
        ),
    ),
    package(
        "SeisSol",
        r"SeisSol(_\w+)*",
        setting(
            "ASYNC_MODE=THREAD in the environment writes while it computes, and ASYNC_MODE=MPI gives it ranks that "
            "only write, one for each ASYNC_GROUP_SIZE and two at least, beside as many as the mesh has parts",
            "movers",
            cited=Citation("seissol-environment", "Asynchronous Output"),
        ),
        setting(
            "XDMFWRITER_ALIGNMENT and XDMFWRITER_BLOCK_SIZE, of checkpoints SEISSOL_CHECKPOINT_BLOCK_SIZE, have it "
            "write whole blocks: 8388608 is 8 MiB",
            "calls",
            cited=Citation("seissol-environment", "Checkpointing"),
        ),
    ),
    package(
        "MOOSE",
        r"(bison|griffin|pronghorn|sockeye|cardinal|marmot|mastodon|sam|moose|moose_test|combined|blue_crab|direwolf|"
        r"falcon|heat_transfer|navier_stokes|phase_field|porous_flow|solid_mechanics|tensor_mechanics|thermal_hydraulics)"
        r"-(opt|oprof|devel)",
        setting(
            "one rank writes Exodus files (exodus = true in [Outputs]), and nemesis = true in its place has each rank "
            "write a file of its own",
            "movers",
            of=r"\.e(-s\d+)?$",
            cited=Citation("moose-nemesis", "Nemesis"),
        ),
        setting(
            "time_step_interval of an output in [Outputs] says after how many steps it writes",
            "amount",
            cited=Citation("moose-nemesis", "Outputs System: time_step_interval"),
        ),
    ),
)
