import type { CaseDocument } from '../analysis/caseDocument'
import { FILE_SYSTEM_NAMES } from '../analysis/names'
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
  readonly direction: 'read' | 'write'
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

/** Null where no source says how files were used. */
export function schemeOf(document: CaseDocument): Scheme | null {
  const bytes = (file: CaseDocument['files'][number]) => (file.bytes_read ?? 0) + (file.bytes_written ?? 0)
  const drawable = (id: string) =>
    document.files.some((f) => f.group === id && isPattern(f.pattern) && bytes(f) > 0)
  const blamed = blamedGroup(document)
  // The groups stand by bytes, the largest first.
  const group = document.groups.find((g) =>
    blamed !== null && drawable(blamed) ? g.id === blamed : drawable(g.id),
  )
  const files = document.files.filter((file) => file.group === group?.id)
  const pattern = files[0]?.pattern
  if (!group || !isPattern(pattern)) return null
  const listed = files.reduce((sum, file) => sum + bytes(file), 0)
  // The document has the first files only; what it says about the group is of all.
  const moved = numberOf(group, 'io.bytes') ?? listed
  const written = files.reduce((sum, file) => sum + (file.bytes_written ?? 0), 0)
  const all = document.metrics['io.bytes']?.value
  const { ranks } = document.charts
  const use = document.charts.osts[0]
  const nprocs = document.job.nprocs ?? ranks?.nprocs ?? null
  const owners = pattern === 'file-per-process' ? numberOf(group, 'file.ranks_with_own') : null
  const direction = 2 * written >= listed ? 'write' : 'read'
  return {
    pattern,
    direction,
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
    share:
      numberOf(group, 'group.bytes_fraction') ??
      (typeof all === 'number' && all > 0 && files.length === group.files ? Math.min(1, listed / all) : null),
    layers: files[0]?.layers ?? [],
    stripes: files[0]?.stripe_count ?? null,
    osts: use ? { used: use.striped_over, total: use.total } : null,
    storage: storageOf(document),
  }
}

function numberOf(group: CaseDocument['groups'][number], metric: string): number | null {
  const value = group.metrics[metric]?.value
  return typeof value === 'number' ? value : null
}

/** The group of files of which the page's first sentence speaks; null where it speaks of the whole job. */
function blamedGroup({ headline, findings }: CaseDocument): string | null {
  const first = findings.find((f) => f.rule === headline.rule && f.verdict === 'triggered')
  return first?.scope.kind === 'group' ? first.scope.id : null
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

function storageOf(document: CaseDocument): string | null {
  const [first] = document.charts.file_systems
  return first && first.kind !== 'unknown' ? FILE_SYSTEM_NAMES[first.kind] : null
}

const PATTERN_WORDS: Readonly<Record<Pattern, string>> = {
  serial: 'One rank does the I/O',
  'file-per-process': 'A file for each rank',
  'file-per-node': 'A file for each node',
  'shared-independent': 'All ranks share files, each on its own',
  'shared-collective': 'All ranks share files, collectively',
  subfiling: 'Some ranks share each file',
}

export const titleOf = ({ pattern, owners }: Scheme): string =>
  owners === null ? PATTERN_WORDS[pattern] : 'Some ranks have files of their own'

/** The picture in words: what a person sees who does not see it. */
export function schemeWords(scheme: Scheme): string {
  const { pattern, ranks, movers, owners, label: what, direction } = scheme
  const who = ranks === null ? 'the ranks' : plural(ranks, 'rank')
  const verb = direction === 'write' ? 'write' : 'read'
  const start: Record<Pattern, string> = {
    serial: `One ${ranks === null || ranks === 1 ? 'rank' : `of ${who}`} ${verb}s ${what}`,
    'file-per-process':
      owners === null
        ? `Each of ${who} ${verb}s files of its own: ${what}`
        : `${count(owners)} of ${who} ${verb} files of their own: ${what}`,
    'file-per-node': `One rank on each node ${verb}s a file of its own: ${what}`,
    'shared-independent': `${capital(who)} ${verb} ${what}, each with calls of its own`,
    'shared-collective': `${capital(who)} ${verb} ${what}${what.includes(', ') ? ',' : ''} in collective calls${movers === null ? '' : `, through ${aboutRanks(movers)} ${aboutRanks(movers) === '1' ? 'rank that aggregates' : 'ranks that aggregate'}`}`,
    subfiling: `${capital(who)} ${verb} ${what}, each file by some of them`,
  }
  const size = `; ${scheme.least ? 'at least ' : ''}${format(scheme.moved, 'B')}${scheme.share === null || scheme.share > 0.995 ? '' : `, ${format(scheme.share, 'share')} of the job's bytes`}`
  const where =
    scheme.osts !== null
      ? `, on ${scheme.osts.total === null ? plural(scheme.osts.used, 'OST') : `${count(scheme.osts.used)} of ${plural(scheme.osts.total, 'OST')}`}`
      : scheme.storage !== null
        ? `, on ${scheme.storage}`
        : ''
  return `${start[pattern]}${size}${where}.`
}
