"""Advice for tools whose users start them but do not write their code: it takes the place of changes to the program."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from re import Pattern

from iotriage.rules.advice.calls import NAMED_PYTORCH, library_named
from iotriage.rules.advice.one_rank import EACH_TO_A_FILE, SEND_TO_A_FILE
from iotriage.rules.advice.scratch import node_disk
from iotriage.rules.advice.system_programs import SYSTEM_PROGRAMS
from iotriage.rules.core import Advice, Citation, Context, advice
from iotriage.rules.core.action import Export, FillIn, Named, RunCommand
from iotriage.rules.core.words import paragraph, printable
from iotriage_parsers.frozen import frozen


@frozen
class Typed:
    """Part of a sentence that says what a user can type. A command line that matches `unless` has it already."""

    says: str
    unless: str | None = None


@frozen
class Tool:
    """A tool whose programs match `programs`. `writes` and `reads` are what its user can type about its files, and
    `prints` what makes it print less. `variable` names the folder of its temporary files; the advice points it to a
    disk of the node. Where it `measures`, its accesses are what it is started for."""

    name: str
    programs: Pattern[str]
    writes: tuple[Typed, ...]
    reads: tuple[Typed, ...]
    variable: str | None = None
    prints: str | None = None
    measures: bool = False


Said = str | tuple[str | Typed, ...]


def _tool(
    name: str,
    programs: str,
    writes: Said,
    reads: Said | None = None,
    variable: str | None = None,
    prints: str | None = None,
    *,
    measures: bool = False,
) -> Tool:
    said = _parts(writes)
    read = said if reads is None else _parts(reads)
    return Tool(name, re.compile(programs), said, read, variable, prints, measures)


def _parts(said: Said) -> tuple[Typed, ...]:
    each = (said,) if isinstance(said, str) else said
    return tuple(one if isinstance(one, Typed) else Typed(one) for one in each)


def _option(says: str, unless: str) -> Typed:
    """`unless` begins at the beginning of a word, and ends at the end of one."""
    return Typed(says, rf"(?<!\S)(?:{unless})(?!\S)")


_IS = r"(?:=|\s+)['\"]?"
"""Separates an option from its value."""


_MEASURED = (
    "its options ask for these very files and accesses, and what they take is what is measured. To measure others, "
    "change the options."
)
_BUILD = (
    "build on a disk or in the memory of the node, with the sources copied there, and copy back what is to stay: "
    "nothing else makes its many files cheaper. TMPDIR says where compilers put temporaries."
)

TOOLS = (
    _tool(
        "samtools",
        r"samtools",
        "-T of sort and collate names a place for temporaries, best on a disk of the node, and a larger -m makes fewer "
        "of them; -u between two of its commands joined by a pipe spares a file, and its compression.",
        "of many regions view -M -L reads each part of the file once, and not one region after the other; two of its "
        "commands joined by a pipe (-u) spare reading what the first has written.",
    ),
    _tool(
        "bcftools",
        r"bcftools|tabix|bgzip",
        (
            "-T of sort names a place for its temporaries, best on a disk of the node",
            _option(
                "-Ou between two of its commands joined by a pipe spares a file, and its compression",
                rf"-Ou|(?:-O|--output-type){_IS}u['\"]?",
            ),
        ),
        "-r and -R take regions by the index, with a jump for each: of many regions -t and -T read the whole file "
        "once, in its order. Several processes side by side, each with a region of its own (-r), are put together by "
        "concat. Two commands joined by a pipe (-Ou) spare reading what the first has written.",
    ),
    _tool(
        "GATK or Picard",
        r"(gatk|picard)([_.-][\w.-]+)?",
        "--tmp-dir (of Picard TMP_DIR) names the folder of its temporaries, best on a disk of the node.",
        (
            _option(
                "where it goes through a file in its order, -Dsamjdk.buffer_size=1048576 before -jar (of the command "
                "gatk in --java-options) reads it in pieces of 1 MiB",
                r"\S*-Dsamjdk\.buffer_size=\d{6,}\S*",
            ),
            "several processes on the node, each with intervals of its own (-L), read side by side",
        ),
    ),
    _tool(
        "BLAST",
        r"(t?blast[npx]|psiblast|rpst?blastn?|deltablast)([_.+-]\w+)*",
        (
            _option(
                "-outfmt 6 writes a line for each hit, far less than the default",
                rf"-outfmt{_IS}(?:6|7|10|17)['\"]?",
            ),
            _option(
                "-max_target_seqs says of how many sequences it writes hits at most",
                rf"-max_target_seqs{_IS}\d+['\"]?",
            ),
            "-out on a disk of the node, and one copy at the end, takes the many small pieces away from the shared "
            "file system",
        ),
        "copy its databases to a disk or the memory of the node, in the folder that BLASTDB names, and give one "
        "process many queries (-num_threads) rather than start one for each.",
    ),
    _tool(
        "Kraken 2",
        r"kraken2",
        "--report without --output (which takes - for none) writes a line for each taxon, and not for each read.",
        (
            "each start reads the whole database: copy it to the memory of the node (/dev/shm), once for all samples "
            "there, and remove the copy at the end",
            _option("kraken2 --memory-mapping reads that copy where it lies", r"--memory-mapping"),
        ),
    ),
    _tool(
        "BWA",
        r"bwa(-mem2)?([_.-]\w+)*",
        "its output goes by a pipe into samtools sort, which spares the SAM file.",
        "each start reads the whole index: several samples on a node, one after the other, find it in its memory (of "
        "bwa, bwa shm keeps it there until bwa shm -d), and a copy on a disk of the node spares the shared one.",
    ),
    _tool(
        "STAR",
        r"STAR(long)?(-avx2)?",
        "--outTmpDir names a folder for temporaries, best on a disk of the node, and one that is not there yet: STAR "
        "makes it, and removes all that is in it.",
        (
            _option(
                "--genomeLoad LoadAndKeep keeps the index in the memory of the node for the samples after, and "
                "--genomeLoad Remove takes it out at the end",
                rf"--genomeLoad{_IS}Load(?:AndKeep|AndRemove|AndExit)['\"]?",
            ),
            "a copy of the index on a disk of the node spares the shared file system",
        ),
    ),
    _tool(
        "Bowtie 2",
        r"bowtie2(-align-[sl])?",
        "its output goes by a pipe into samtools sort, which spares the SAM file.",
        (
            _option("--mm maps the index into memory, where all its processes on the node share it", r"--mm"),
            "a copy of the index on a disk of the node spares the shared file system",
        ),
    ),
    _tool(
        "MMseqs2",
        r"mmseqs([_.-]\w+)*",
        "the last argument of its workflows is the folder of temporaries: give it one on a disk of the node "
        "(--local-tmp, where several nodes work together).",
    ),
    _tool(
        "compilers and the like",
        r"cc1(plus|obj)?|f951|collect2|(gcc|g\+\+|gfortran|clang(\+\+)?|flang|cpp)(-[\d.]+)?|lto1|lto-wrapper|"
        r"(x86_64|aarch64)-[\w-]+-(gcc|g\+\+|gfortran|ld|as)(-[\d.]+)?|icp?[cx]|ifort|ifx|nvcc|cicc|cudafe\+\+|ptxas|"
        r"nv(c|c\+\+|fortran)|rustc|cargo|ld(\.\w+)?|as|ar|ranlib|g?make|cmake|ninja|meson",
        _BUILD,
    ),
    _tool(
        "git",
        r"git([_-]\w+)*",
        (
            _option("git clone --depth 1 takes the files without their history", rf"--depth{_IS}\d+['\"]?"),
            "a clone on a disk of the node spares the shared file system",
        ),
    ),
    _tool(
        "Gaussian",
        r"g(09|16)|l\d{1,4}\.exel?",
        "GAUSS_SCRDIR names the folder of its scratch files: one on a disk of the node; a larger %Mem has it keep more "
        "in memory. A checkpoint file (%Chk) may stay where it is.",
        variable="GAUSS_SCRDIR",
    ),
    _tool(
        "ORCA",
        r"orca(_\w+)*",
        "it writes its scratch files beside the input: start it in a folder on a disk of the node, with the input "
        "copied there, and copy back what is to stay. %maxcore gives each process more memory.",
    ),
    _tool(
        "TURBOMOLE",
        r"(dscf|ridft|rdgrad|ricc2|aoforce|mpgrad|pnoccsd)(_(smp|mpi|omp))?",
        "TURBOTMPDIR names the folder of its scratch files: one on a disk of each node.",
        variable="TURBOTMPDIR",
    ),
    _tool(
        "Molpro",
        r"molpro(\.exe)?",
        "-d names the folder of its scratch files: one on a disk of the node; a larger -m has it keep more in memory.",
    ),
    _tool(
        "Psi4",
        r"psi4",
        "PSI_SCRATCH names the folder of its scratch files: one on a disk of the node; scf_type direct computes "
        "integrals again instead of keeping them there.",
        variable="PSI_SCRATCH",
    ),
    _tool(
        "the Amsterdam Modeling Suite",
        r"(ams|adf|band|dftb|reaxff)\.exe",
        "SCM_TMPDIR names the folder of its temporaries, which is to be there: one on a disk of each node.",
        variable="SCM_TMPDIR",
    ),
    _tool(
        "Q-Chem",
        r"qcprog\.exe(_s)?|qchem",
        "QCSCRATCH names the folder of its scratch files, and QCLOCALSCR one on a disk of each node; a larger "
        "MEM_TOTAL has it keep more in memory.",
    ),
    _tool(
        "LS-DYNA",
        r"(ls-?dyna|mppdyna)([_.-]\w+)*",
        "DT of *DATABASE_BINARY_D3PLOT and D3THDT says how often it writes all, and *DATABASE_EXTENT_BINARY how much "
        "of it; a working folder of each process on a disk of the node (local in the p-file of its MPP version) takes "
        "its scratch files away from the shared file system.",
    ),
    _tool(
        "Fluent",
        r"fluent(_mpi)?([_.-]\w+)*",
        "/file/auto-save/data-frequency says how often it writes; case and data files in the Common Fluids Format "
        "(.cas.h5, .dat.h5) are smaller than the older ones, and /file/cffio-options/io-mode says which processes "
        "write them.",
        "case and data files in the Common Fluids Format (.cas.h5, .dat.h5) are smaller than the older ones, and "
        "/file/cffio-options/io-mode says which processes read them.",
    ),
    _tool(
        "Simcenter STAR-CCM+",
        r"star-?ccm[\w+.-]*",
        (
            _option("-pio on its command line has several of its processes save a .sim file together", "-pio"),
            "Auto Save says how often it saves",
        ),
        (
            _option("-pio on its command line has several of its processes read a .sim file together", "-pio"),
            "what it need not go on from is best in files of its own, as solution histories (.simh) are",
        ),
    ),
    _tool(
        "Ansys CFX",
        r"solver-\w+\.exe|cfx5solve",
        "Output Control says how often it writes backups and transient results, and Selected Variables which ones.",
    ),
    _tool(
        "Ansys Mechanical",
        r"ansys(\d+)?(\.e)?|mapdl",
        "start it in a folder on a disk of the node, with the input copied there, and copy back what is to stay: it "
        "writes its scratch files beside the input. -m gives it more memory, which DSPOPTION,,INCORE (BCSOPTION "
        "without -dis) uses to keep the matrix there; OUTRES says which results it writes, and how often.",
    ),
    _tool(
        "Abaqus",
        r"abaqus|abq\w*",
        "scratch= on its command line names the folder of its temporaries, best on a disk of the node, and memory= "
        "what it may keep in memory; FREQUENCY or TIME INTERVAL of *OUTPUT says how often it writes.",
    ),
    _tool(
        "COMSOL",
        r"comsol(launcher)?",
        (
            "-tmpdir names the folder of its temporaries, best on a disk of the node",
            _option("-autosave off leaves out what it would recover from", r"-autosave\s+off"),
        ),
    ),
    _tool(
        "RELION",
        r"relion_\w+",
        (
            "--scratch_dir names a folder on a disk of each node, to which it copies the particles first",
            _option("--preread_images keeps them in memory instead, where that is enough", r"--preread_images"),
            "a larger --pool has it read more of them at a time",
        ),
    ),
    _tool(
        "HMMER",
        r"hmm(search|scan)|[pn]hmmer|nhmmscan|jackhmmer",
        (
            _option("--noali leaves out the alignments, most of what it writes", r"--noali"),
            _option("--tblout writes a line for each hit", rf"--tblout{_IS}\S+"),
            "-o on a disk of the node, and one copy at the end, takes the small pieces away from the shared file "
            "system",
        ),
        "each start reads the whole database: copy it to a disk or the memory of the node, and give one process many "
        "queries rather than start one for each.",
    ),
    _tool(
        "HH-suite",
        r"hh(blits|search|align)(_\w+)?",
        "-o on a disk of the node, and one copy at the end, takes the small pieces away from the shared file system.",
        "each query looks up records all over the database: copy it to the memory (/dev/shm) or a disk of the node, "
        "and give one process many queries (hhblits_omp) rather than start one for each.",
    ),
    _tool(
        "DIAMOND",
        r"diamond",
        "--tmpdir names the folder of its temporaries, best in the memory (/dev/shm) or on a disk of the node; a "
        "larger --block-size makes fewer of them, for more memory.",
        (
            "a larger --block-size reads the database fewer times, for more memory",
            _option("so does --index-chunks 1", rf"(?:--index-chunks|-c){_IS}1['\"]?"),
            "copy it to a disk of the node, and give one process many queries",
        ),
    ),
    _tool(
        "DuckDB",
        r"duckdb",
        "SET temp_directory names the folder of what does not fit into memory, best on a disk of the node, and SET "
        "memory_limit says how much does.",
        "SET memory_limit says how much it keeps in memory; many small files are read sooner when they were written "
        "into few large ones once (COPY ... TO, in Parquet).",
    ),
    _tool(
        "the tools of netCDF, HDF5 and ADIOS2",
        r"ncdump|nccopy|ncgen3?|h5(dump|ls|stat|diff|copy|repack)|bpls(\.(serial|mpi))?",
        "nccopy -c and h5repack -l say how large the chunks of a copy are, 1 MiB or more where whole variables are "
        "read; nccopy -w writes the copy from memory, once, where it fits there.",
        "name what is wanted: ncdump -h and h5dump -H leave out the data, ncdump -v and h5dump -d take it of some "
        "variables or data sets, and bpls reads it with -d alone. Of many files start several commands side by side.",
        prints="ncdump -h and h5dump -H leave out the data, ncdump -v and h5dump -d take it of some variables or data "
        "sets, and bpls prints it with -d alone; h5dump -o and bpls -o name a file for it.",
    ),
    _tool(
        "ROOT's hadd",
        r"hadd",
        (
            _option("-j starts several processes side by side, each for some of the files", r"-j(?:\s+\d+)?"),
            "-cachesize has it read more of a file at a time (-cachesize 100M)",
        ),
    ),
    *(_tool(benchmark, benchmark, _MEASURED, measures=True) for benchmark in ("fio", "mdtest", "elbencho")),
    _tool(
        "CDO or NCO",
        r"cdo|nc(ks|ra|rcat|ecat|bo|ea|es|pdq|wa|ap2|flint|remap|climo)",
        "chain the operators of CDO in one command (cdo -op1 -op2 in out), so that nothing is written in between; of "
        "many files or variables start several commands side by side.",
    ),
    _tool(
        "GDAL",
        r"gdal(_\w+|warp|info|translate|buildvrt|addo)|ogr2ogr",
        (
            "a larger GDAL_CACHEMAX (--config, in MB) keeps more blocks in memory",
            _option("-co TILED=YES writes blocks that are read again in one piece", rf"-co{_IS}TILED=YES['\"]?"),
            "of many files start several commands side by side",
        ),
        (
            "a larger GDAL_CACHEMAX (--config, in MB) keeps more blocks in memory",
            "of a VRT of many files a GDAL_MAX_DATASET_POOL_SIZE of their number, up to a thousand, keeps them open",
            _option(
                "GDAL_DISABLE_READDIR_ON_OPEN=EMPTY_DIR looks for no overviews or metadata in files beside them",
                r"GDAL_DISABLE_READDIR_ON_OPEN[= ]EMPTY_DIR",
            ),
            "of many files start several commands side by side",
        ),
    ),
    _tool(
        "Snakemake",
        r"snakemake",
        (
            _option("--drop-metadata leaves out the file that it keeps of each output", r"--drop-metadata"),
            _option("--groups with --group-components puts many short jobs into one", rf"--group-components{_IS}\S+"),
            'shadow: "minimal" of a rule, with --shadow-prefix on a disk of the node, has it work there',
        ),
    ),
)


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


def tool_among(programs: Iterable[str], commands: Collection[str] = ()) -> Tool | None:
    """The first that a source names, with what is left to type where it was started with these command lines."""
    found = next((tool for name in programs for tool in TOOLS if tool.programs.fullmatch(name)), None)
    if found is None or not commands:
        return found
    writes, reads = (tuple(t for t in way if not _has_it(t, commands)) for way in (found.writes, found.reads))
    return replace(found, writes=writes, reads=reads)


def _has_it(typed: Typed, commands: Collection[str]) -> bool:
    """Whether all of them do."""
    return typed.unless is not None and all(re.search(typed.unless, line) for line in commands)


def is_a_tool(program: str | None) -> bool:
    """Whether the program is a tool that its users start and do not write."""
    return program is not None and (program in SYSTEM_PROGRAMS or tool_among([program]) is not None)


def use_tool_otherwise(tool: Tool, context: Context | None, *, reads: bool) -> tuple[Advice, ...]:
    """What its user can do, whatever the program would have to do otherwise; `context` is that of the finding, and
    `reads` says that the files of it are read rather than written."""
    disk = node_disk(None if context is None else context.site)
    there = context is not None and context.file_system == "local"
    lines = () if tool.variable is None or there else (Export(tool.variable, *disk),)
    typed = "; ".join(one.says for one in (tool.reads if reads else tool.writes)).removesuffix(".")
    text = f"As the code of {tool.name} is not yours to change: {typed}."
    if there:
        text += " These files are on a disk of the node, or in its memory, already: what is said of that place is done."
    return (advice(text, *lines), *(() if context is None else _copied_first(tool, context)))


def print_to_files(tool: Tool | None, citation: Citation | None, *, alone: bool) -> Advice:
    """What the user of a program can do that prints much; `alone` where it is one process."""
    known = None if tool is None or tool.prints is None else f"Of {tool.name}, {tool.prints}"
    return advice(paragraph(SEND_TO_A_FILE if alone else EACH_TO_A_FILE, known), citation=citation)


def _copied_first(tool: Tool, context: Context) -> tuple[Advice, ...]:
    """For one file that is only read, on a file system that all share: a benchmark would measure another."""
    if tool.measures:
        return ()
    file, written = context.file, context.number("io.bytes_written")
    several = max(context.files or 1, context.number("file.count") or 1.0) > 1
    if file is None or written or several or context.file_system not in SHARED or _PART.search(file) is not None:
        return ()
    return (
        advice(
            f"Where {printable(file.rpartition('/')[2])} is read more than once, or not in its order, and a disk or "
            "the memory of the node has room for it, copy it there first, with its index if it has "
            "one, and read the copy.",
            RunCommand(("cp", Named(file), FillIn("ON_THE_NODE", "a folder on its disk or in its memory"))),
        ),
    )


_PART = re.compile(r"\.(bp|zarr|n5)/")
"""What lies in a folder that is one file to the library that made it: a copy of the part alone is none."""
SHARED = ("lustre", "gpfs", "vast", "weka", "beegfs", "nfs", "dvs")
"""Kinds of file systems that are not on the node."""
