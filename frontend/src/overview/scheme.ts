import type { CaseDocument } from '../analysis/caseDocument'
import { FILE_SYSTEM_NAMES } from '../analysis/names'
import { ostWords } from '../charts/frame/words/ostWords'
import { aboutRanks, capital, count, format, plural } from '../format'
import { textEvidence } from '../sources/textEvidence'

type Pattern =
  | 'serial'
  | 'file-per-process'
  | 'file-per-node'
  | 'shared-independent'
  | 'shared-collective'
  | 'subfiling'

/** Who reads and writes what: the files that the headline speaks of, else those that carry most bytes, with the ranks before them and the storage behind. */
export interface Scheme {
  readonly pattern: Pattern
  /** In which most bytes go. */
  readonly direction: 'read' | 'write'
  /** Whether many go in the other one too. */
  readonly both: boolean
  /** Whether a serial job's files have some bytes of other ranks. */
  readonly nearly: boolean
  readonly ranks: number | null
  /** Ranks that move bytes at the storage: aggregators of collective calls, or the one of a serial job. */
  readonly movers: number | null
  /** Ranks that have files of their own, where these are fewer than all. */
  readonly owners: number | null
  readonly nodes: number | null
  /** Of the file, or what the names have in common. */
  readonly name: string
  /** With how many they are. */
  readonly label: string
  readonly files: number
  readonly group: string
  readonly moved: number
  /** Whether records are missing, so that it may be more. */
  readonly least: boolean
  /** Share of the job's bytes that these files carry. */
  readonly share: number | null
  readonly layers: readonly string[]
  readonly stripes: number | null
  readonly osts: { readonly used: number; readonly total: number | null } | null
  readonly storage: string | null
}

const PATTERNS: readonly string[] = [
  'serial',
  'file-per-process',
  'file-per-node',
  'shared-independent',
  'shared-collective',
  'subfiling',
] satisfies Pattern[]

const isPattern = (word: string | null | undefined): word is Pattern =>
  typeof word === 'string' && PATTERNS.includes(word)

/** Of the job's bytes: files that carry less stand for themselves, and not for the job. */
const MOST = 0.5
/** Of the bytes of some files: a direction that carries less is beside the point. */
const SOME = 0.25

/** Ranks among which a file's bytes are shared: one opened it, or all did and one moved them; beyond it are errors of
 * rounding. */
const ALONE = 1 + 1e-9

type Group = CaseDocument['groups'][number]
type File = CaseDocument['files'][number]

/** Null where no source says how the files were used that the headline speaks of, or else those that carry most bytes: a
 * picture of a few others would say of the job what is true of these. */
export function schemeOf(document: CaseDocument): Scheme | null {
  const drawable = ({ id }: Group) =>
    document.files.some((f) => f.group === id && isPattern(f.pattern) && bytesOf(f) > 0)
  const blamed = blamedGroup(document)
  // The groups stand by bytes, the largest first.
  const first = document.groups.find(drawable)
  if (blamed && drawable(blamed)) return schemeOfGroup(document, blamed)
  if (!first) return null
  const stands = (shareOf(document, first) ?? 0) >= MOST || (!blamed && first === document.groups[0])
  return stands ? schemeOfGroup(document, first) : null
}

const bytesOf = ({ bytes_read, bytes_written }: File) => (bytes_read ?? 0) + (bytes_written ?? 0)

function schemeOfGroup(document: CaseDocument, group: Group): Scheme | null {
  const files = document.files.filter((file) => file.group === group.id)
  const pattern = files[0]?.pattern
  if (!isPattern(pattern)) return null
  const listed = files.reduce((sum, file) => sum + bytesOf(file), 0)
  // The document has the first files only; what it says about the group is of all.
  const moved = numberOf(group, 'io.bytes') ?? listed
  const written = files.reduce((sum, file) => sum + (file.bytes_written ?? 0), 0)
  const { ranks } = document.charts
  const nprocs = document.job.nprocs ?? ranks?.nprocs ?? null
  const owners = pattern === 'file-per-process' ? numberOf(group, 'file.ranks_with_own') : null
  const direction = 2 * written >= listed ? 'write' : 'read'
  const share = shareOf(document, group)
  const stripes = files[0]?.stripe_count ?? null
  return {
    pattern,
    direction,
    both: Math.min(written, listed - written) >= SOME * listed,
    nearly: pattern === 'serial' && files.some((file) => (file.effective_ranks ?? 1) > ALONE),
    ranks: nprocs,
    movers: moversOf(document, pattern, direction, files),
    owners: owners !== null && nprocs !== null && owners < nprocs ? owners : null,
    nodes: document.job.nnodes,
    name: group.name,
    label: group.label,
    files: group.files,
    group: group.id,
    moved,
    least: (group.metrics['io.bytes'] ?? document.metrics['io.bytes'])?.bound === 'lower',
    share,
    layers: files[0]?.layers ?? [],
    stripes,
    osts: ostsOf(document, isAll(share), group.files === 1 ? stripes : null),
    storage: storageOf(document, moved),
  }
}

/** Of the job's bytes; null where one of the two is not known. */
function shareOf(document: CaseDocument, group: Group): number | null {
  const all = document.metrics['io.bytes']?.value
  const files = document.files.filter((file) => file.group === group.id)
  const listed = files.reduce((sum, file) => sum + bytesOf(file), 0)
  return (
    numberOf(group, 'group.bytes_fraction') ??
    (typeof all === 'number' && all > 0 && files.length === group.files ? Math.min(1, listed / all) : null)
  )
}

const isAll = (share: number | null): boolean => share === null || share > 0.995

/** Those of one file by its `stripes`; of others the job's, where they are nearly `all` of it. */
function ostsOf(document: CaseDocument, all: boolean, stripes: number | null): Scheme['osts'] {
  const use = document.charts.osts[0]
  if (!use) return null
  if (stripes !== null) return { used: Math.min(stripes, use.striped_over), total: use.total }
  return all ? { used: use.striped_over, total: use.total } : null
}

function numberOf(group: Group, metric: string): number | null {
  const value = group.metrics[metric]?.value
  return typeof value === 'number' ? value : null
}

/** The group of files of which the page's first sentence speaks; undefined where it speaks of the whole job. */
export function blamedGroup({ headline, findings, groups }: CaseDocument): Group | undefined {
  const first = findings.find((f) => f.rule === headline.rule && f.verdict === 'triggered')
  return first?.scope.kind === 'group' ? groups.find(({ id }) => id === first.scope.id) : undefined
}

function moversOf(
  document: CaseDocument,
  pattern: Pattern,
  direction: Scheme['direction'],
  files: CaseDocument['files'],
): number | null {
  if (pattern === 'serial') return 1
  if (pattern !== 'shared-collective') return null
  const views = document.charts.aggregating
  const moved = views.find((view) => view.basis !== 'placement') ?? views[0]
  return moved?.count ?? statedAggregators(document, direction, files)
}

/** What MPICH_MPIIO_STATS states of the block with most bytes in this direction, of these files where it names one. */
function statedAggregators(
  document: CaseDocument,
  direction: Scheme['direction'],
  files: CaseDocument['files'],
): number | null {
  const paths = new Set(files.map((file) => file.path))
  const stated = textEvidence(document, 'mpiio_stats')
    .map(({ part }) => part)
    .filter((part) => part.trusted && part.direction === direction && part.aggregators !== null)
  const ofThese = stated.filter((part) => paths.has(part.file))
  const [most] = (ofThese.length > 0 ? ofThese : stated).sort(
    (a, b) => (b.total_bytes ?? 0) - (a.total_bytes ?? 0),
  )
  return most?.aggregators ?? (direction === 'write' ? document.charts.aggregators[0]?.n : null) ?? null
}

/** "Lustre", "ARCHER2 work2 (Lustre)". */
export function systemWords(system: CaseDocument['charts']['file_systems'][number]): string {
  const kind = system.kind === 'unknown' ? 'kind not recorded' : FILE_SYSTEM_NAMES[system.kind]
  return system.title === null || system.title.includes(kind)
    ? (system.title ?? kind)
    : `${system.title} (${kind})`
}

/** Where files that `moved` so many bytes lie: by the one kind of file system that there is, or by the only one on which so
 * much moved. */
function storageOf({ charts }: CaseDocument, moved: number): string | null {
  const [first, ...others] = charts.file_systems
  if (!first || first.kind === 'unknown') return null
  const elsewhere = others.filter(({ kind }) => kind !== first.kind)
  return elsewhere.every(({ moved_bytes }) => moved > (moved_bytes ?? 0))
    ? FILE_SYSTEM_NAMES[first.kind]
    : null
}

const PATTERN_WORDS: Readonly<Record<Pattern, string>> = {
  serial: 'One rank does the I/O',
  'file-per-process': 'A file for each rank',
  'file-per-node': 'A file for each node',
  'shared-independent': 'All ranks share files, each on its own',
  'shared-collective': 'All ranks share files, collectively',
  subfiling: 'Some ranks share each file',
}

export function titleOf({ pattern, owners, share, files }: Scheme): string {
  if (owners !== null) return 'Some ranks have files of their own'
  // What one rank does with a part of the bytes is not the I/O of the job.
  if (pattern === 'serial' && share !== null && share < MOST)
    return `One rank alone uses ${files === 1 ? 'this file' : 'these files'}`
  return PATTERN_WORDS[pattern]
}

/** The picture in words: what a person sees who does not see it. */
export function schemeWords(scheme: Scheme): string {
  const { pattern, ranks, movers, owners, label: what, direction } = scheme
  const who = ranks === null ? 'the ranks' : plural(ranks, 'rank')
  const verb = scheme.both ? 'write and read' : direction
  const does = verb.replaceAll(/write|read/g, '$&s')
  const start: Record<Pattern, string> = {
    serial: `One ${ranks === null || ranks === 1 ? 'rank' : `of ${who}`} ${does} ${scheme.nearly ? 'nearly all of ' : ''}${what}`,
    'file-per-process':
      owners === null
        ? `Each of ${who} ${does} files of its own: ${what}`
        : `${count(owners)} of ${who} ${verb} files of their own: ${what}`,
    'file-per-node': `One rank on each node ${does} a file of its own: ${what}`,
    'shared-independent': `${capital(who)} ${verb} ${what}, each with calls of its own`,
    'shared-collective': `${capital(who)} ${verb} ${what}${what.includes(', ') ? ',' : ''} in collective calls${movers === null ? '' : `, through ${aboutRanks(movers)} ${aboutRanks(movers) === '1' ? 'rank that aggregates' : 'ranks that aggregate'}`}`,
    subfiling: `${capital(who)} ${verb} ${what}, each file by some of them`,
  }
  const size = `; ${scheme.least ? 'at least ' : ''}${format(scheme.moved, 'B')}${scheme.share === null || isAll(scheme.share) ? '' : `, ${format(scheme.share, 'share')} of the job's bytes`}`
  const where =
    scheme.osts !== null
      ? `, on ${ostWords(scheme.osts.used, scheme.osts.total)}`
      : scheme.storage !== null
        ? `, on ${scheme.storage}`
        : ''
  return `${start[pattern]}${size}${where}.`
}
