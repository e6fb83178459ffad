import type { TermId } from './glossary'

/** What a term means, in our words, with a document that explains it at length where there is one in public. */
export interface Explanation {
  readonly text: string
  readonly source?: { readonly title: string; readonly url: string }
}

const ROMIO = {
  title: 'Thakur, Gropp, Lusk: Data Sieving and Collective I/O in ROMIO',
  url: 'https://www.mcs.anl.gov/~thakur/papers/romio-coll.pdf',
}
const INTRO_MPI = {
  title: 'intro_mpi manual page of HPE Cray MPICH',
  url: 'https://cpe.ext.hpe.com/docs/latest/mpt/mpich/intro_mpi.html',
}
const LUSTRE = { title: 'Lustre Operations Manual', url: 'https://doc.lustre.org/lustre_manual.xhtml' }
const DARSHAN = {
  title: 'Darshan-util documentation',
  url: 'https://www.mcs.anl.gov/research/projects/darshan/docs/darshan-util.html',
}
const MPI = { title: 'MPI standard, chapter I/O', url: 'https://www.mpi-forum.org/docs/' }

/** Asked for with the first term that somebody wants explained. */
export const EXPLANATIONS: Readonly<Record<TermId, Explanation>> = {
  aggregator: {
    text: "A rank that reads or writes the file on behalf of others in a collective call: the data is gathered to a few such ranks, which make large requests. Too few leave the file system idle; too many disturb one another's locks.",
    source: ROMIO,
  },
  'effective-aggregators': {
    text: 'How many ranks shared the bytes of a file at the storage, worked out from the variance of bytes over the ranks: if that many had moved equal parts and the others nothing, the variance would be the one recorded. Inferred, and lower than the number of ranks that moved anything where their parts are unequal.',
    source: DARSHAN,
  },
  collective: {
    text: 'An MPI-IO call that all ranks of a communicator make together (MPI_File_write_all and the like). The library sees all requests at once and can join them.',
    source: MPI,
  },
  independent: {
    text: 'An MPI-IO call that a rank makes on its own (MPI_File_write_at and the like). The library cannot join it with what other ranks do.',
    source: MPI,
  },
  'collective-buffering': {
    text: 'How collective calls are carried out: in one phase ranks exchange data so that each aggregator holds a contiguous part of the file, in the other the aggregators read or write it in large requests.',
    source: ROMIO,
  },
  'data-sieving': {
    text: 'How one rank reads or writes many small pieces that lie apart: it moves the whole range in a buffer. To write, it must read the range first, change the pieces, and write it back.',
    source: ROMIO,
  },
  'read-modify-write': {
    text: 'Bytes that are read only so that they can be written back with a few of them changed, because a write covered part of a block or of a sieving buffer. The program asked for none of these reads.',
    source: INTRO_MPI,
  },
  stripe: {
    text: 'A Lustre file is cut into pieces of the stripe size that lie on its OSTs in turn. The stripe count is how many OSTs it uses: the most servers that can work on it at once.',
    source: LUSTRE,
  },
  ost: {
    text: 'Object storage target: a volume of disks or flash of a Lustre file system that holds the data of files. Each has a bandwidth of its own.',
    source: LUSTRE,
  },
  mdt: {
    text: 'Metadata target: where a Lustre file system keeps names, owners and layouts. Opening, creating and looking at files goes there, all jobs together.',
    source: LUSTRE,
  },
  dxt: {
    text: "Darshan's extended tracing: every read and write call with its rank, offset, length and times. It is off unless asked for (DXT_ENABLE_IO_TRACE=1).",
    source: DARSHAN,
  },
  heatmap: {
    text: 'A module of Darshan since 3.4: bytes read and written by rank and time, in bins that grow with the run. It is on by default and costs little.',
    source: DARSHAN,
  },
  reduced: {
    text: 'Of a file that all ranks opened, Darshan keeps one record with the sums, the slowest and fastest rank and the variances. What the ranks between did is not in it.',
    source: DARSHAN,
  },
  consecutive: {
    text: "An access that begins where the rank's last one in that file ended. A sequential access begins there or beyond; the others go back.",
    source: DARSHAN,
  },
  subfiling: {
    text: 'One logical file kept as several, each written by a part of the ranks, for example one a node.',
  },
  'file-per-process': {
    text: 'Each rank reads or writes a file of its own. No locks are shared, but with many ranks the metadata server has many files to create.',
  },
  'shared-file': {
    text: 'One file that many ranks read or write. Whether that is fast depends on its striping, and on whether the calls are collective.',
  },
  'write-amplification': {
    text: 'Bytes written to the storage for each byte that the program wrote. Above 1, the library wrote more than it was asked to, as data sieving does.',
    source: DARSHAN,
  },
  straggler: {
    text: "The rank whose I/O takes longest. The others usually wait for it, so that its time is the job's.",
  },
  hints: {
    text: 'A setting passed to MPI-IO with an open, as cb_nodes or striping_factor. A library may follow it or not.',
    source: INTRO_MPI,
  },
  portrait: {
    text: "A job's I/O at the height of a line, beside its name: a band for each layer that moved bytes, at most three, from the call down to the disk. In a band the ranks stand from top to bottom, the first on top, and the run goes from left to right: the darker, the more bytes. Where no source has times, or several have their own, each group of ranks is a bar as long as the bytes of its busiest rank; where none tells ranks apart, a paler band is as high as the share of ranks that moved them. The grey line below is darker the longer files were in use.",
  },
}
