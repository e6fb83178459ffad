import { useMarks } from '../charts/frame/linked'
import marks from '../charts/frame/marks.module.css'
import { clipped, textWidth } from '../charts/frame/text'
import { ostWords } from '../charts/frame/words/ostWords'
import { aboutRanks, count, plural } from '../format'
import css from './Overview.module.css'
import type { Scheme } from './scheme'

const TALL = 108
const TOP = 6
/** More of a kind than this are drawn as the first ones and a gap. */
const MOST_RANKS = 8
const MOST_FILES = 6
const MOST_OSTS = 12
const MOST_MOVERS = 4
/** Below this width numbers stand above their nouns. */
const NARROW = 480

/** Points of a column, from top to bottom, evenly. */
function column(n: number): number[] {
  const step = Math.min(18, TALL / Math.max(1, n))
  const first = TOP + (TALL - step * n) / 2 + step / 2
  return Array.from({ length: n }, (_, i) => first + i * step)
}

interface Columns {
  readonly ranks: readonly number[]
  readonly movers: readonly number[] | null
  readonly files: readonly number[]
  readonly osts: readonly number[]
}

function columnsOf(scheme: Scheme): Columns {
  // A rank for each file drawn, so that none seems idle because its file is not drawn.
  const most = scheme.pattern === 'file-per-process' ? MOST_FILES : MOST_RANKS
  const ranks = Math.min(scheme.owners ?? scheme.ranks ?? most, most)
  const shared = scheme.pattern === 'shared-collective'
  const movers = shared ? Math.max(1, Math.min(MOST_MOVERS, Math.round(scheme.movers ?? MOST_MOVERS))) : null
  const perRank =
    scheme.pattern === 'file-per-process' ? Math.min(scheme.files, ranks, MOST_FILES) : MOST_FILES
  const files = Math.max(1, Math.min(scheme.files, perRank))
  const osts = scheme.osts ? Math.min(scheme.osts.total ?? scheme.osts.used, MOST_OSTS) : 0
  return {
    ranks: column(ranks),
    movers: movers === null ? null : column(movers),
    files: column(files),
    osts: column(osts),
  }
}

/** From which mark of the left column a line goes to which of the right. */
type Line = readonly [from: number, to: number]

function toFiles(scheme: Scheme, from: number, to: number): Line[] {
  const each = Array.from({ length: from }, (_, i) => i)
  switch (scheme.pattern) {
    case 'serial':
      return Array.from({ length: to }, (_, i) => [0, i] as const)
    case 'file-per-process':
      return each.slice(0, to).map((i) => [i, i] as const)
    case 'file-per-node':
      return Array.from({ length: to }, (_, i) => [Math.floor((i * from) / to), i] as const)
    case 'subfiling':
      return each.map((i) => [i, Math.floor((i * to) / from)] as const)
    case 'shared-independent':
    case 'shared-collective':
      return each.flatMap((i) => Array.from({ length: to }, (_, f) => [i, f] as const))
  }
}

/** Each file to its stripes, spread over all the targets that are used: of few lines too, none end in one part of them. */
export function toOsts(scheme: Pick<Scheme, 'osts' | 'stripes'>, files: number, drawn: number): Line[] {
  const used = usedOf(scheme, drawn)
  const stripes = Math.max(1, Math.min(scheme.stripes ?? Math.ceil(used / files), used))
  const apart = files * stripes <= used
  const at = (f: number, s: number) =>
    apart ? ((f * stripes + s) * used) / (files * stripes) : (f + (s * used) / stripes) % used
  return Array.from({ length: files }, (_, f) => f).flatMap((f) =>
    Array.from({ length: stripes }, (_, s) => [f, Math.floor(at(f, s))] as const),
  )
}

function usedOf(scheme: Pick<Scheme, 'osts'>, drawn: number): number {
  const { osts } = scheme
  if (!osts?.total) return drawn
  return Math.max(1, Math.min(drawn, Math.round((osts.used / osts.total) * drawn), osts.used))
}

/** Ranks, files and storage with lines for who moves what; the sentence beside says the same. */
export function Schematic({ scheme, width }: { scheme: Scheme; width: number }) {
  const mark = useMarks()
  const columns = columnsOf(scheme)
  const { ranks, movers, files, osts } = columns
  const stops = movers === null ? 3 : 4
  const inner = Math.max(260, Math.min(width, 720)) - 96
  const at = (stop: number) => 40 + (inner * stop) / (stops - 1)
  const x: Stops =
    movers === null
      ? { ranks: at(0), movers: at(0), files: at(1), osts: at(2) }
      : { ranks: at(0), movers: at(1), files: at(2), osts: at(3) }
  const solid = movers ?? ranks
  const look = mark(
    [
      { kind: 'group', id: scheme.group },
      { kind: 'direction', id: scheme.direction },
    ],
    scheme.direction === 'write' ? css.writes : css.reads,
  )
  const gathered =
    movers === null ? [] : ranks.map((_, i): Line => [i, Math.floor((i * movers.length) / ranks.length)])
  const filed = toFiles(scheme, solid.length, files.length)
  const active = new Set(movers === null ? filed.map(([from]) => from) : ranks.keys())
  const hidden = (scheme.owners ?? scheme.ranks ?? 0) > ranks.length
  const base = TOP + TALL
  const named = (words: string, under: string) => {
    const [number = '', noun] = words.split(/ (?=\S+$)/)
    return width < NARROW && noun
      ? { text: number, under: noun }
      : { text: words, under: width < NARROW ? '' : under }
  }
  return (
    <svg className={css.scheme} viewBox={`0 0 ${inner + 96} ${base + 36}`} height={base + 36}>
      <title>Who moves what</title>
      <g {...look}>
        {gathered.map(([from, to]) => (
          <Curve
            key={`${from}-${to}`}
            x0={x.ranks + 7}
            y0={ranks[from]}
            x1={x.movers - 7}
            y1={movers?.[to]}
            gather
          />
        ))}
        {filed.map(([from, to]) => (
          <Curve key={`${from}-${to}`} x0={x.movers + 7} y0={solid[from]} x1={x.files - 10} y1={files[to]} />
        ))}
        {osts.length > 0
          ? toOsts(scheme, files.length, osts.length).map(([from, to]) => (
              <Curve key={`${from}-${to}`} x0={x.files + 10} y0={files[from]} x1={x.osts - 9} y1={osts[to]} />
            ))
          : files.map((y) => <Curve key={y} x0={x.files + 10} y0={y} x1={x.osts - 24} y1={TOP + TALL / 2} />)}
      </g>
      <Marks scheme={scheme} columns={columns} x={x} active={active} />
      <Label
        x={x.ranks}
        y={base}
        anchor="start"
        {...named(rankWords(scheme), hidden ? `${ranks.length} drawn` : '')}
      />
      {movers !== null && (
        <Label
          x={x.movers}
          y={base}
          {...named(
            scheme.movers === null ? 'aggregators' : moverWords(scheme.movers),
            scheme.movers === null
              ? 'how many: not known'
              : Math.round(scheme.movers) > movers.length
                ? `${movers.length} drawn`
                : '',
          )}
        />
      )}
      <Label
        x={x.files}
        y={base}
        text={clipped(scheme.name, inner / (stops - 1) - 12)}
        under={scheme.files > 1 ? plural(scheme.files, 'file') : (scheme.layers[0] ?? '')}
      />
      <Label
        x={x.osts}
        y={base}
        room={inner + 96}
        {...(scheme.osts
          ? named(ostWords(scheme.osts.used, scheme.osts.total), scheme.storage ?? '')
          : named(scheme.storage ?? 'storage', scheme.storage === null ? 'not recorded' : ''))}
      />
    </svg>
  )
}

/** Where each column stands. */
type Stops = Readonly<Record<keyof Columns, number>>

function Marks({
  scheme,
  columns: { ranks, movers, files, osts },
  x,
  active,
}: {
  scheme: Scheme
  columns: Columns
  x: Stops
  /** The ranks that do something. */
  active: ReadonlySet<number>
}) {
  const used = usedOf(scheme, osts.length)
  return (
    <>
      {ranks.map((y, i) => (
        <rect
          key={y}
          className={active.has(i) ? css.rank : css.idle}
          x={x.ranks - 5}
          y={y - 5}
          width={10}
          height={10}
          rx={2}
        />
      ))}
      {movers?.map((y) => (
        <circle key={y} className={marks.collective} cx={x.movers} cy={y} r={6} />
      ))}
      {files.map((y) => (
        <path
          key={y}
          className={css.file}
          d={`M${x.files - 7} ${y - 8}h9l5 5v11h-14zM${x.files + 2} ${y - 8}v5h5`}
        />
      ))}
      {osts.map((y, i) => (
        <rect
          key={y}
          className={i < used ? css.held : css.empty}
          x={x.osts - 7}
          y={y - 3.5}
          width={14}
          height={7}
          rx={1.5}
        />
      ))}
      {osts.length === 0 && (
        <rect
          className={scheme.storage === null ? css.unknown : css.held}
          x={x.osts - 22}
          y={TOP + TALL / 2 - 20}
          width={44}
          height={40}
          rx={4}
        />
      )}
    </>
  )
}

const rankWords = ({ ranks, owners }: Scheme) =>
  ranks === null
    ? 'ranks'
    : owners === null
      ? plural(ranks, 'rank')
      : `${count(owners)} of ${plural(ranks, 'rank')}`
const moverWords = (n: number) => `${aboutRanks(n)} ${aboutRanks(n) === '1' ? 'aggregator' : 'aggregators'}`

function Curve({
  x0,
  y0 = 0,
  x1,
  y1 = 0,
  gather = false,
}: {
  x0: number
  y0: number | undefined
  x1: number
  y1: number | undefined
  gather?: boolean
}) {
  const middle = (x0 + x1) / 2
  return (
    <path
      className={gather ? css.gather : ''}
      d={`M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`}
    />
  )
}

function Label({
  x,
  y,
  text,
  under,
  anchor = 'middle',
  room = Number.POSITIVE_INFINITY,
}: {
  x: number
  y: number
  text: string
  under: string
  anchor?: 'start' | 'middle'
  /** Where the drawing ends: words in the middle below a mark keep within it. */
  room?: number
}) {
  const half = Math.max(textWidth(text, 12), textWidth(under)) / 2
  const at = anchor === 'start' ? x - 5 : Math.min(x, room - half)
  return (
    <>
      <text className={marks.strong} x={at} y={y + 18} textAnchor={anchor}>
        {text}
      </text>
      <text x={at} y={y + 32} textAnchor={anchor}>
        {under}
      </text>
    </>
  )
}
