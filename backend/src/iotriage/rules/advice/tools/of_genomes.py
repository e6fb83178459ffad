"""Tools for genomes, sequences and proteins."""

from __future__ import annotations

from iotriage.rules.advice.tools.tool import IS, Tool, on_node_disk, option, tool

OF_GENOMES: tuple[Tool, ...] = (
    tool(
        "samtools",
        r"samtools",
        on_node_disk(
            "-T of sort and collate names a place for temporaries, best on a disk of the node, and a larger -m makes "
            "fewer of them; -u between two of its commands joined by a pipe spares a file, and its compression; of "
            "many files start several commands side by side.",
        ),
        "of many regions view -M -L reads each part of the file once, and not one region after the other; two of its "
        "commands joined by a pipe (-u) spare reading what the first has written; of many files start several commands "
        "side by side.",
    ),
    tool(
        "bcftools",
        r"bcftools|tabix|bgzip",
        (
            on_node_disk(
                "-T of sort names a place for its temporaries, best on a disk of the node",
            ),
            option(
                "-Ou between two of its commands joined by a pipe spares a file, and its compression",
                rf"-Ou|(?:-O|--output-type){IS}u['\"]?",
            ),
        ),
        "-r and -R take regions by the index, with a jump for each: of many regions -t and -T read the whole file "
        "once, in its order. Several processes side by side, each with a region of its own (-r), are put together by "
        "concat. Two commands joined by a pipe (-Ou) spare reading what the first has written.",
    ),
    tool(
        "GATK or Picard",
        r"(gatk|picard)([_.-][\w.-]+)?",
        on_node_disk(
            "--tmp-dir (of Picard TMP_DIR) names the folder of its temporaries, best on a disk of the node.",
        ),
        (
            option(
                "where it goes through a file in its order, -Dsamjdk.buffer_size=1048576 before -jar (of the command "
                "gatk in --java-options) reads it in pieces of 1 MiB",
                r"\S*-Dsamjdk\.buffer_size=\d{6,}\S*",
            ),
            "several processes on the node, each with intervals of its own (-L), read side by side",
        ),
    ),
    tool(
        "BLAST",
        r"(t?blast[npx]|psiblast|rpst?blastn?|deltablast)([_.+-]\w+)*",
        (
            option(
                "-outfmt 6 writes a line for each hit, far less than the default",
                rf"-outfmt{IS}(?:6|7|10|17)['\"]?",
            ),
            option(
                "-max_target_seqs says of how many sequences it writes hits at most",
                rf"-max_target_seqs{IS}\d+['\"]?",
            ),
            on_node_disk(
                "-out on a disk of the node, and one copy at the end, takes the many small pieces away from the shared "
                "file system",
            ),
        ),
        "copy its databases to a disk or the memory of the node, in the folder that BLASTDB names, and give one "
        "process many queries (-num_threads) rather than start one for each.",
    ),
    tool(
        "Kraken 2",
        r"kraken2",
        "--report without --output (which takes - for none) writes a line for each taxon, and not for each read.",
        (
            "each start reads the whole database: copy it to the memory of the node (/dev/shm), once for all samples "
            "there, and remove the copy at the end",
            option("kraken2 --memory-mapping reads that copy where it lies", r"--memory-mapping"),
        ),
    ),
    tool(
        "BWA",
        r"bwa(-mem2)?([_.-]\w+)*",
        "its output goes by a pipe into samtools sort, which spares the SAM file.",
        on_node_disk(
            "each start reads the whole index: several samples on a node, one after the other, find it in its memory "
            "(of bwa, bwa shm keeps it there until bwa shm -d), and a copy on a disk of the node spares the shared "
            "one.",
        ),
    ),
    tool(
        "STAR",
        r"STAR(long)?(-avx2)?",
        on_node_disk(
            "--outTmpDir names a folder for temporaries, best on a disk of the node, and one that is not there yet: "
            "STAR makes it, and removes all that is in it.",
        ),
        (
            option(
                "--genomeLoad LoadAndKeep keeps the index in the memory of the node for the samples after, and "
                "--genomeLoad Remove takes it out at the end",
                rf"--genomeLoad{IS}Load(?:AndKeep|AndRemove|AndExit)['\"]?",
            ),
            on_node_disk(
                "a copy of the index on a disk of the node spares the shared file system",
            ),
        ),
    ),
    tool(
        "Bowtie 2",
        r"bowtie2(-align-[sl])?",
        "its output goes by a pipe into samtools sort, which spares the SAM file.",
        (
            option("--mm maps the index into memory, where all its processes on the node share it", r"--mm"),
            on_node_disk("a copy of the index on a disk of the node spares the shared file system"),
        ),
    ),
    tool(
        "MMseqs2",
        r"mmseqs([_.-]\w+)*",
        on_node_disk(
            "the last argument of its workflows is the folder of temporaries: give it one on a disk of the node "
            "(--local-tmp, where several nodes work together).",
        ),
    ),
    tool(
        "HMMER",
        r"hmm(search|scan)|[pn]hmmer|nhmmscan|jackhmmer",
        (
            option("--noali leaves out the alignments, most of what it writes", r"--noali"),
            option("--tblout writes a line for each hit", rf"--tblout{IS}\S+"),
            on_node_disk(
                "-o on a disk of the node, and one copy at the end, takes the small pieces away from the shared file "
                "system",
            ),
        ),
        "each start reads the whole database: copy it to a disk or the memory of the node, and give one process many "
        "queries rather than start one for each.",
    ),
    tool(
        "HH-suite",
        r"hh(blits|search|align)(_\w+)?",
        on_node_disk(
            "-o on a disk of the node, and one copy at the end, takes the small pieces away from the shared file "
            "system.",
        ),
        on_node_disk(
            "each query looks up records all over the database: copy it to the memory (/dev/shm) or a disk of the "
            "node, and give one process many queries (hhblits_omp) rather than start one for each.",
        ),
    ),
    tool(
        "DIAMOND",
        r"diamond",
        on_node_disk(
            "--tmpdir names the folder of its temporaries, best in the memory (/dev/shm) or on a disk of the node; a "
            "larger --block-size makes fewer of them, for more memory.",
        ),
        (
            "a larger --block-size reads the database fewer times, for more memory",
            option("so does --index-chunks 1", rf"(?:--index-chunks|-c){IS}1['\"]?"),
            on_node_disk(
                "copy it to a disk of the node, and give one process many queries",
            ),
        ),
    ),
)
