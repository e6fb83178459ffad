"""Packages that compute weather, climate, oceans and coasts."""

from __future__ import annotations

from iotriage.rules.advice.packages.package import BOTH, READ, IoRanks, package, setting
from iotriage.rules.core import Citation

_SPLIT = r"/wrf(out|rst)_d\d\d_[^/]*_\d{4}$"
"""Files of single ranks, as io_form 102 has them."""
_PRINTED = r"(^|/)rsl\.(out|error)\."
"""What each rank of WRF prints, as others do to standard output."""
_OF_RESTARTS = r"restart"
"""What ICON calls its restarts, or the folder of one that is several files; what it reads else is other programs'."""

OF_CLIMATE = (
    package(
        "WRF",
        r"wrf(\.exe)?",
        setting(
            "io_form_history = 11 and io_form_restart = 11 in namelist.input write by all ranks, where it was built "
            "with PnetCDF",
            "movers",
            unless=_SPLIT,
            together=True,
            cited=Citation("wrf-guide", "&time_control"),
        ),
        setting(
            "with 102 for io_form_history or io_form_restart each rank writes a file of its own, and 11 has one of "
            "all, where it was built with PnetCDF",
            "files",
            where=_SPLIT,
            cited=Citation("wrf-guide", "&time_control"),
        ),
        setting(
            "nio_tasks_per_group and nio_groups in &namelist_quilt give it I/O servers, for which the others need not "
            "wait (more of them, where it has some already)",
            "movers",
            cited=Citation("wrf-guide", "&namelist_quilt"),
        ),
        setting(
            "frames_per_outfile says how many times are in one file",
            "files",
            cited=Citation("wrf-guide", "&time_control"),
        ),
        setting(
            "history_interval says how often it writes",
            "amount",
            of=r"^(?!(.*/)?rsl\.)",
            cited=Citation("wrf-guide", "&time_control"),
        ),
        setting(
            "debug_level = 0 in &time_control, the default, prints least to rsl.out and rsl.error",
            "amount",
            of=_PRINTED,
            cited=Citation("wrf-guide", "&time_control: debug_level"),
        ),
        setting(
            "io_form_input = 11, io_form_restart = 11 and io_form_boundary = 11 in namelist.input read by all ranks, "
            "where it was built with PnetCDF",
            "movers",
            ways=READ,
            together=True,
            cited=Citation("wrf-guide", "&time_control"),
        ),
        io_ranks=IoRanks("nio_tasks_per_group, or nio_groups,", "in &namelist_quilt"),
    ),
    package(
        "CESM or E3SM",
        r"(cesm|e3sm)\.exe",
        setting(
            "./xmlchange PIO_TYPENAME=pnetcdf writes and reads by several ranks, as is the default on most machines",
            "movers",
            "calls",
            ways=BOTH,
            together=True,
            cited=Citation("cime-pio", "PIO_TYPENAME"),
        ),
        setting(
            "PIO_NUMTASKS and PIO_STRIDE, which ./xmlchange sets, say by how many ranks it writes and reads, and by "
            "which: one a node, unless set",
            "movers",
            "calls",
            ways=BOTH,
            cited=Citation("cime-pio", "PIO_STRIDE"),
        ),
        setting(
            "mfilt in user_nl_cam (hist_mfilt in user_nl_clm) says how many times are in a file",
            "files",
            cited=Citation("elm-guide", "Saving additional output files"),
        ),
        setting(
            "nhtfrq in user_nl_cam (hist_nhtfrq in user_nl_clm) says how often it writes",
            "amount",
            cited=Citation("elm-guide", "Saving additional output files"),
        ),
        io_ranks=IoRanks("PIO_NUMTASKS", "in the directory of the case", "PIO_STRIDE", "./xmlchange"),
    ),
    package(
        "MPAS",
        r"(init_)?(atmosphere|ocean|landice|seaice)_model|mpas([_.-]\w+)*",
        setting(
            "config_pio_num_iotasks and config_pio_stride in &io of its namelist say how many ranks write and read, "
            "and how far apart they are: 0 and 1, the defaults, have all of them do it",
            "movers",
            "calls",
            ways=BOTH,
            cited=Citation("mpas-registry", "nml_record io"),
        ),
        setting(
            "filename_interval of a stream in its file of streams says how much time is in a file",
            "files",
            cited=Citation("mpas-streams", "Streams"),
        ),
        setting(
            "output_interval of a stream in its file of streams says how often it is written",
            "amount",
            cited=Citation("mpas-streams", "Streams"),
        ),
        io_ranks=IoRanks("config_pio_num_iotasks", "in &io of its namelist", "config_pio_stride"),
    ),
    package(
        "NEMO",
        r"nemo(\.exe)?",
        setting(
            "XIOS writes it, and using_server in iodef.xml gives it ranks that only write, as many as xios_server.exe "
            "is started with (more of them, where it is true already)",
            "movers",
            cited=Citation("xios-docs", "XIOS Goals: Performance"),
        ),
        setting(
            "the type of a file of XIOS, one_file or multiple_file, says how many each output has",
            "files",
            ways=BOTH,
            cited=Citation("xios-source", "file_attribute.conf: type"),
        ),
        setting(
            "nn_wxios = 1 in &namrun of namelist_cfg has XIOS write one restart, and ln_xios_read = .true. read it, "
            "instead of one of each rank",
            "files",
            ways=BOTH,
            cited=Citation("nemo-namelist", "&namrun"),
        ),
        setting(
            "output_freq of a file of XIOS says how often it is written, and nn_stock in &namrun of namelist_cfg how "
            "often restarts are",
            "amount",
            cited=Citation("nemo-namelist", "&namrun"),
        ),
    ),
    package(
        "ICON",
        r"icon([_.-]\w+)*",
        setting(
            "num_io_procs and num_restart_procs in &parallel_nml give it ranks that only write, for which the others "
            "need not wait (more of them, where it has some already)",
            "movers",
            cited=Citation("icon-source", "mo_parallel_config: num_io_procs, num_restart_procs"),
        ),
        setting(
            "restart_write_mode = 'joint procs multifile' in &io_nml has all ranks write and read restarts",
            "movers",
            ways=BOTH,
            of=_OF_RESTARTS,
            cited=Citation("icon-source", "mo_io_config: restart_write_mode"),
        ),
        setting(
            "file_interval in &output_nml says how much time is in a file",
            "files",
            cited=Citation("icon-source", "mo_name_list_output_init: output_nml"),
        ),
        setting(
            "output_interval in &output_nml says how often it writes",
            "amount",
            cited=Citation("icon-source", "mo_name_list_output_init: output_nml"),
        ),
        io_ranks=IoRanks("num_io_procs", "in &parallel_nml"),
    ),
    package(
        "the models of UFS",
        r"ufs_model(\.x)?|fv3(_\w+)?\.exe",
        setting(
            "quilting: .true. in model_configure gives it ranks that only write, write_groups times "
            "write_tasks_per_group of them, which are started beside those of its layout",
            "movers",
            cited=Citation("ufs-guide", "write_tasks_per_group"),
        ),
        io_ranks=IoRanks("write_tasks_per_group, or write_groups,", "in model_configure"),
    ),
    package(
        "MOM6",
        r"mom6([_.-]\w+)*",
        setting(
            "IO_LAYOUT in MOM_input says how many parts of the domain write, each to a file of its own: 1,1, its "
            "default, is one rank for all",
            "movers",
            cited=Citation("mom6-source", "MOM_domains: IO_LAYOUT"),
        ),
        setting(
            "IO_LAYOUT in MOM_input says how many parts of the domain write, each to a file of its own: 1,1, its "
            "default, is one file of all",
            "files",
            cited=Citation("mom6-source", "MOM_domains: IO_LAYOUT"),
        ),
        setting(
            "diag_table says how often it writes",
            "amount",
            cited=Citation("mom6-diagnostics", "The “diag_table”: output_freq"),
        ),
    ),
    package(
        "FESOM2",
        r"fesom([_.-]\w+)*",
        setting(
            "one rank gathers each field and writes it, unless parallel_write = .true. in &io_parallel of "
            "namelist.config, where netCDF was built with parallel HDF5, has n_writers ranks write it together: set "
            "it with the first file of a year or month, as no file that is there can be gone on with",
            "movers",
            together=True,
            cited=Citation("fesom-output", "Parallel output and restart I/O"),
        ),
        setting(
            "io_list in &nml_list of namelist.io says which fields it writes, how often, and with 4 or 8 bytes a value",
            "amount",
            cited=Citation("fesom-output", "Section &nml_list"),
        ),
        setting(
            "filesplit_freq in &nml_general of namelist.io says how much time is in a file",
            "files",
            cited=Citation("fesom-output", "Section &nml_general"),
        ),
        io_ranks=IoRanks("n_writers", "in &io_parallel of namelist.config"),
    ),
    package(
        "MITgcm",
        r"mitgcmuv([_.-]\w+)*",
        setting(
            "useSingleCpuIO = .TRUE. in PARM01 of the file data has one rank write for all, and without it each tile "
            "writes a file of its own",
            "movers",
            cited=Citation("mitgcm-source", "PARAMS.h: useSingleCpuIO"),
        ),
        setting(
            "useSingleCpuIO = .TRUE. in PARM01 of the file data has one rank write one file of each field, instead of "
            "one of each tile",
            "files",
            ways=BOTH,
            cited=Citation("mitgcm-source", "PARAMS.h: useSingleCpuIO"),
        ),
        setting(
            "dumpFreq and pChkptFreq in PARM03 of the file data say how often it writes",
            "amount",
            cited=Citation("mitgcm-source", "PARAMS.h: dumpFreq, pChkPtFreq"),
        ),
    ),
    package(
        "ROMS",
        r"(roms|ocean|coawst)[MG]",
        setting(
            "OUT_LIB = 2 and INP_LIB = 2 in roms.in write and read by several ranks, where it was built with PIO_LIB "
            "and PIO_METHOD is 1 or 4 (with 2 one rank does both, with 3 one writes)",
            "movers",
            "calls",
            ways=BOTH,
            together=True,
            cited=Citation("roms-input", "I/O options and parameters"),
        ),
        setting(
            "PIO_IOTASKS and PIO_STRIDE in roms.in say by how many ranks PIO writes and reads, and by which: fewer "
            "than all, on as many nodes as there are",
            "movers",
            "calls",
            ways=BOTH,
            cited=Citation("roms-input", "I/O options and parameters"),
        ),
        setting(
            "NHIS, NAVG and NRST say after how many steps it writes",
            "amount",
            cited=Citation("roms-input", "NHIS, NAVG, NRST"),
        ),
        io_ranks=IoRanks("PIO_IOTASKS", "in roms.in", "PIO_STRIDE"),
    ),
    package(
        "PISM",
        r"pism[rsv]?",
        setting(
            "-o_format netcdf4_parallel, or pnetcdf, writes by all ranks and not by the first, where it was built with "
            "parallel NetCDF, or with PnetCDF",
            "movers",
            together=True,
            cited=Citation("pism-io", "PISM's I/O performance"),
            typed=r"-(o_format|output\.format)[ =](netcdf4_parallel|pnetcdf|pio_|cdi)",
        ),
        setting(
            "-o_size small leaves out of its output what it does not need to go on from it",
            "amount",
            cited=Citation("pism-io", "Input and output"),
            typed=r"-o_size[ =](small|none)",
        ),
    ),
    package(
        "RegCM",
        r"regcmMPI\w*",
        setting(
            "do_parallel_netcdf_out = .true. in &outparam writes by all ranks, where it was built with "
            "--enable-nc4-parallel",
            "movers",
            together=True,
            cited=Citation("regcm-namelist", "&outparam"),
        ),
        setting(
            "do_parallel_netcdf_in = .true. in &outparam has each rank read its own part, which its authors advise "
            "only where reads are fast",
            "movers",
            ways=READ,
            together=True,
            cited=Citation("regcm-namelist", "&outparam"),
        ),
        setting(
            "lsync = .false. in &outparam, its default, does not force out what it writes after each step",
            "syncs",
            cited=Citation("regcm-namelist", "&outparam"),
        ),
        setting(
            "atmfrq, radfrq and srffrq in &outparam say after how many hours it writes, savfrq after how many days "
            "restarts",
            "amount",
            cited=Citation("regcm-namelist", "&outparam"),
        ),
    ),
    package(
        "WAVEWATCH III",
        r"ww3_(shel|multi)",
        setting(
            "DOMAIN%IOSTYP = 3 in its namelist gives it several ranks that only write, and 2 one, but where it was "
            "built to divide the domain (PDLIB)",
            "movers",
            cited=Citation("ww3-namelist", "DOMAIN_NML"),
        ),
    ),
    package(
        "ADCIRC",
        r"pad(circ|cswan)",
        setting(
            "-W with a number on its command line gives it so many ranks, of those that are started, that only write, "
            "and adcprep divides the domain among the others",
            "movers",
            cited=Citation("adcirc-options", "Notes on Parallel Execution"),
        ),
        io_ranks=IoRanks("-W", "on its command line"),
    ),
)
