import { max, sum } from 'd3-array'
import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { aboutRanks, capital, count, format, plural } from '../format'
import { baseName } from '../sources/textEvidence'
import { defineChart, type MissingEvidence } from './frame/chart'
import { DARSHAN } from './frame/evidence'
import { groupLinks, groupNames } from './frame/groups'
import { type Growth, grown, grownAtAll, growthWords } from './frame/growth'
import { Hatch } from './frame/Hatch'
import { type Link, useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { haveMost, isOne, moversWords } from './frame/rankWords'
import { fits, listed, textWidth } from './frame/text'

type Layer = CaseDocument['charts']['layers'][number]

interface Stack {
  readonly layers: readonly Layer[]
  readonly nprocs: number | null
  /** Ranks that move any bytes, of layers whose ranks are told apart. */
  readonly active: ReadonlyMap<string, number>
  readonly growth: Growth | null
  /** Seconds that the mean rank spends in MPI-IO beyond the calls to storage. */
  readonly between: number | null
  /** Whether calls ran beside one another: their seconds are more than a rank spent. */
  readonly overlap: boolean
  readonly links: (path: string) => readonly Link[]
}

const UNDER: Record<Layer['layer'], string> = {
  HDF5: 'dataset calls',
  PnetCDF: 'variable calls',
  'MPI-IO': 'library calls',
  DFS: 'DAOS file calls',
  DAOS: 'object calls',
  POSIX: 'system calls',
  STDIO: 'buffered calls',
}
const ORDER: Layer['layer'][] = ['HDF5', 'PnetCDF', 'MPI-IO', 'DFS', 'DAOS', 'POSIX', 'STDIO']
/** Layers whose bytes POSIX calls carry on; those of the others never reach them. */
const ABOVE_POSIX: ReadonlySet<Layer['layer']> = new Set(['HDF5', 'PnetCDF', 'MPI-IO'])

function read(document: CaseDocument): Stack | MissingEvidence {
  const layers = document.charts.layers
    .filter((layer) => layer.bytes_read || layer.bytes_written || layer.calls || secondsOf(layer))
    .sort((a, b) => ORDER.indexOf(a.layer) - ORDER.indexOf(b.layer))
  const { growth } = document.charts
  if (layers.length > 0)
    return {
      layers,
      nprocs: document.job.nprocs,
      active: new Map(
        document.charts.ranks?.series.flatMap(({ layer, active, partial }) =>
          partial ? [] : [[layer, active] as const],
        ),
      ),
      growth,
      between: between(layers, document),
      overlap: layers.some((layer) => overlaps(layer, document)),
      links: groupLinks(document),
    }
  return {
    missing: "No layer of the job's I/O is recorded with its bytes and times.",
    needs: DARSHAN,
  }
}

const bytesOf = (layer: Layer): number | null =>
  layer.bytes_read === null && layer.bytes_written === null
    ? null
    : (layer.bytes_read ?? 0) + (layer.bytes_written ?? 0)

const ranksWords = (ranks: number): string => `${aboutRanks(ranks)} ${isOne(ranks) ? 'rank' : 'ranks'}`

function secondsOf({ read_s, write_s, metadata_s }: Layer): number | null {
  const known = [read_s, write_s, metadata_s].filter((s) => s !== null)
  return known.length === 0 ? null : sum(known)
}

const overlaps = (layer: Layer, { account }: CaseDocument): boolean =>
  !!account?.slowest && (secondsOf(layer) ?? 0) > 1.01 * account.slowest.most_s

/** As the account of the time has it; null where one of the two layers is not there. */
function between(layers: readonly Layer[], { account }: CaseDocument): number | null {
  const both = ['MPI-IO', 'POSIX'].every((name) => layers.some(({ layer }) => layer === name))
  return both && account?.basis === 'Darshan' && account.cells.exchange > 0 ? account.cells.exchange : null
}

function sentence({ layers, nprocs, active, growth, between: gap }: Stack): string {
  const most = ({ layer, ranks }: Layer) =>
    ranks !== null && haveMost({ movers: ranks, active: active.get(layer) ?? null, ranks: nprocs })
      ? 'most of '
      : ''
  const top = layers[0]
  if (!top) return ''
  const lower = ABOVE_POSIX.has(top.layer) ? layers.find((l) => l.layer === 'POSIX') : undefined
  const who = top.ranks === null ? 'The job' : capital(moversWords({ movers: top.ranks, ranks: nprocs }))
  const amount = bytesOf(top)
  const start = `${who} ${top.ranks === null || isOne(top.ranks) ? 'hands' : 'hand'} ${most(top)}${amount === null ? 'its bytes' : `${top.partial ? 'at least ' : ''}${format(amount, 'B')}`} to ${top.layer}`
  const above = secondsOf(top)
  if (!lower) return `${start}${above === null ? '' : `, in ${format(above, 's')} of the mean rank`}.`
  const pass =
    lower.ranks === null
      ? 'they pass'
      : `${ranksWords(lower.ranks)} ${isOne(lower.ranks) ? 'passes' : 'pass'} ${most(lower)}them`
  const below = secondsOf(lower)
  const times =
    gap !== null && below !== null
      ? ` Of the mean rank, storage calls take ${format(below, 's')}, and ${format(gap, 's')} lie between the layers.`
      : ''
  return `${start}; ${pass} to the file system.${growthWords(growth)}${times}`
}

const ROW = 70
const HEADS = ['who', 'bytes', 'time, mean rank'] as const
type Part = (props: {
  layer: Layer
  stack: Stack
  width: number
  hatch: (kind: 'waiting' | 'missing' | 'grown') => string
  mark: ReturnType<typeof useMarks>
}) => React.ReactNode

function Plot({ data, width }: { data: Stack; width: number }) {
  const id = useId()
  const hatch = (kind: 'waiting' | 'missing' | 'grown') => `url(#${id}${kind})`
  const narrow = width < 700
  const parts: readonly Part[] = [Who, Bytes, Time]
  const rows = data.layers.length
  const mark = useMarks()
  const defs = (
    <defs>
      <Hatch id={`${id}grown`} colour="var(--bg)" stroke={1.6} gap={5} />
      <Hatch id={`${id}waiting`} colour="var(--waiting)" />
      <Hatch id={`${id}missing`} colour="var(--line-strong)" stroke={1.2} gap={6} />
    </defs>
  )
  if (narrow) {
    const block = rows * ROW + 24
    return (
      <svg viewBox={`0 0 ${width} ${3 * block - 8}`} height={3 * block - 8}>
        <title>Layers</title>
        {defs}
        {parts.map((part, p) => (
          <g key={HEADS[p]} transform={`translate(0 ${p * block})`}>
            <text className={css.strong} y={10}>
              {HEADS[p]}
            </text>
            {data.layers.map((layer, i) => (
              <g key={layer.layer}>
                <text className={css.soft} y={40 + i * ROW}>
                  {layer.layer}
                </text>
                <g transform={`translate(52 ${20 + i * ROW})`}>
                  {part({ layer, stack: data, width: width - 52, hatch, mark })}
                </g>
              </g>
            ))}
          </g>
        ))}
      </svg>
    )
  }
  const label = 84
  const who = Math.min(330, width * 0.34)
  const rest = width - label - who
  const columns = [
    { x: label, width: who - 20 },
    { x: label + who, width: rest * 0.42 - 24 },
    { x: label + who + rest * 0.42, width: rest * 0.58 },
  ]
  const height = 22 + rows * ROW - 10
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Layers</title>
      {defs}
      {columns.map((column, c) => (
        <text key={HEADS[c]} className={css.soft} x={column.x} y={10}>
          {HEADS[c]}
        </text>
      ))}
      {data.layers.map((layer, i) => {
        const y = 22 + i * ROW
        return (
          <g key={layer.layer}>
            {i > 0 && <line className={css.grid} x1={0} x2={width} y1={y - 11} y2={y - 11} />}
            <text className={css.strong} y={y + 22}>
              {layer.layer}
            </text>
            <text y={y + 37}>{UNDER[layer.layer]}</text>
            {parts.map((part, c) => (
              <g key={HEADS[c]} transform={`translate(${columns[c]?.x ?? 0} ${y})`}>
                {part({ layer, stack: data, width: columns[c]?.width ?? 0, hatch, mark })}
              </g>
            ))}
          </g>
        )
      })}
    </svg>
  )
}

const MANY = 512

/** One square a rank, those that move bytes filled; above 512 ranks a bar of the share. */
const Who: Part = ({ layer, stack, width, hatch }) => {
  const { nprocs } = stack
  const picture = Math.min(176, width * 0.5)
  const words = layer.ranks === null ? 'ranks' : ranksWords(layer.ranks)
  const room = width - picture - 14
  const unknown = fits('which ones: not recorded', room) ? 'which ones: not recorded' : 'not recorded'
  const below = layer.ranks === null ? unknown : nprocs ? `of ${count(nprocs)}` : ''
  const columns = nprocs && nprocs > 256 ? 64 : nprocs && nprocs <= 16 ? 16 : 32
  const step = picture / columns
  const active = layer.ranks === null ? 0 : Math.max(1, Math.round(layer.ranks))
  const moving = layer.bytes_written === 0 && (layer.bytes_read ?? 0) > 0 ? css.read : css.write
  return (
    <>
      {layer.ranks === null || !nprocs ? (
        <rect
          x={0.5}
          y={8.5}
          width={picture}
          height={20}
          style={{ fill: hatch('missing'), stroke: 'var(--line-strong)' }}
        />
      ) : nprocs > MANY ? (
        <>
          <rect className={css.off} x={0} y={8} width={picture} height={20} />
          <rect className={moving} x={0} y={8} width={Math.max(2, (picture * active) / nprocs)} height={20} />
        </>
      ) : (
        Array.from({ length: nprocs }, (_, rank) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its number
            key={rank}
            className={rank < active ? moving : css.off}
            x={(rank % columns) * step}
            y={(nprocs <= 64 ? 10 : 0) + Math.floor(rank / columns) * step}
            width={step * 0.75}
            height={step * 0.75}
          />
        ))
      )}
      {active === 1 && nprocs !== null && nprocs > 1 && nprocs <= MANY && layer.ranks !== null && (
        <circle
          className={css.ring}
          cx={step * 0.375}
          cy={(nprocs <= 64 ? 10 : 0) + step * 0.375}
          r={Math.max(5.5, step * 0.62)}
        />
      )}
      <text className={css.strong} x={picture + 14} y={16}>
        {words}
      </text>
      <text x={picture + 14} y={32}>
        {below}
      </text>
    </>
  )
}

const saidOf = ({ partial }: Layer, bytes: number): string =>
  `${partial ? 'at least ' : ''}${format(bytes, 'B')}`

const Bytes: Part = ({ layer, stack, width, hatch, mark }) => {
  const all = bytesOf(layer)
  const most = max(stack.layers, bytesOf) || 1
  const calls = layer.calls === null ? 'calls: not recorded' : plural(layer.calls, 'call')
  const wide = grown(stack.growth)
  const more = layer.layer === 'POSIX' ? wide : { written: 0, read: 0 }
  if (all === null) return <NotRecorded width={width} hatch={hatch('missing')} under={calls} />
  const text = saidOf(layer, all)
  // One scale for all layers: room for a number that its bar cannot hold beside the widest.
  const besideBar = Math.max(...stack.layers.map((one) => textWidth(saidOf(one, bytesOf(one) ?? 0), 12)))
  const held = (one: Layer, scale: number) => {
    const unasked = one.layer === 'POSIX' ? wide : { written: 0, read: 0 }
    const [write, readIn] = [one.bytes_written ?? 0, one.bytes_read ?? 0]
    const first = write * scale > 8 ? write - unasked.written : readIn - unasked.read
    return fits(saidOf(one, write + readIn), first * scale - 14, 12)
  }
  const runsOut = (one: Layer, scale: number) =>
    !held(one, scale) &&
    (bytesOf(one) ?? 0) * scale + 8 + textWidth(saidOf(one, bytesOf(one) ?? 0), 12) > width
  const whole = (width - 4) / most
  const k = stack.layers.some((one) => runsOut(one, whole)) ? (width - besideBar - 12) / most : whole
  const written = (layer.bytes_written ?? 0) * k
  const readTo = (layer.bytes_read ?? 0) * k
  const inside = held(layer, k)
  const unasked = more.written + more.read > 0 ? `${format(more.written + more.read, 'B')} not asked for` : ''
  const both = [calls, unasked].filter(Boolean).join(', ')
  const under = fits(both, width) ? both : unasked || calls
  const first = written > 8 ? 'write' : 'read'
  return (
    <>
      {written > 0 && (
        <rect
          {...mark({ kind: 'direction', id: 'write' }, css.write)}
          x={0}
          y={8}
          width={Math.max(1.5, written)}
          height={20}
        >
          <title>{`${format(layer.bytes_written ?? 0, 'B')} written`}</title>
        </rect>
      )}
      {readTo > 0 && (
        <rect
          {...mark({ kind: 'direction', id: 'read' }, css.read)}
          x={written > 0 ? written + 1 : 0}
          y={8}
          width={Math.max(1.5, readTo - 1)}
          height={20}
        >
          <title>{`${format(layer.bytes_read ?? 0, 'B')} read`}</title>
        </rect>
      )}
      {more.written > 0 && (
        <rect
          x={written - more.written * k}
          y={8}
          width={more.written * k}
          height={20}
          style={{ fill: hatch('grown') }}
        >
          <title>{`${format(more.written, 'B')} more than MPI-IO was asked to write`}</title>
        </rect>
      )}
      {more.read > 0 && (
        <rect
          x={written + readTo - more.read * k}
          y={8}
          width={more.read * k}
          height={20}
          style={{ fill: hatch('grown') }}
        >
          <title>{`${format(more.read, 'B')} read that no call asked for: read-modify-write`}</title>
        </rect>
      )}
      <text
        {...(inside ? mark({ kind: 'direction', id: first }, insideOf(first)) : { className: css.strong })}
        x={inside ? 8 : Math.max(2, written + readTo) + 8}
        y={22}
      >
        {text}
      </text>
      <text y={44}>{under}</text>
    </>
  )
}

/** Letters on a bar are read on its colour. */
const insideOf = (kind: string | undefined) =>
  kind === 'read' || kind === 'metadata' ? `${css.inside} ${css.onLight}` : css.inside

const Time: Part = ({ layer, stack, width, hatch, mark }) => {
  const gapOf = ({ layer: name }: Layer) => (name === 'POSIX' ? stack.between : null)
  const longest = max(stack.layers, (l) => (secondsOf(l) ?? 0) + (gapOf(l) ?? 0)) || 1
  const seconds = secondsOf(layer)
  if (seconds === null) return <NotRecorded width={width} hatch={hatch('missing')} under="time: not known" />
  const k = (width - 4) / longest
  const known = [
    { kind: 'write' as const, name: 'write', seconds: layer.write_s },
    { kind: 'read' as const, name: 'read', seconds: layer.read_s },
    { kind: 'metadata' as const, name: 'metadata', seconds: layer.metadata_s },
  ].flatMap((part) => (part.seconds ? [{ ...part, seconds: part.seconds }] : []))
  const gap = gapOf(layer)
  const end = seconds * k
  const total = format(seconds, 's')
  const inside = fits(total, (known[0]?.seconds ?? 0) * k - 14, 12)
  const beside = fits(total, width - end - 12, 12)
  const parts = known.map((part) => `${part.name} ${format(part.seconds, 's')}`)
  const markOf = (kind: string | undefined, className: string | undefined) =>
    kind === 'write' || kind === 'read' ? mark({ kind: 'direction', id: kind }, className) : { className }
  const gapText = gap === null ? '' : `${format(gap, 's')} sending and waiting`
  const split = parts.length > 0 ? listed(parts, width) : 'not divided'
  // Where no place on the bar or beside it says the sum, the line below begins with it.
  const under =
    inside || (gap === null && beside)
      ? split
      : parts.length > 0
        ? `${total}: ${listed(parts, width - textWidth(`${total}: `))}`
        : total
  let x = 0
  return (
    <>
      {known.length === 0 && <rect className={css.off} x={0} y={8} width={Math.max(2, end)} height={20} />}
      {known.map((part) => {
        const from = x
        x += part.seconds * k
        return (
          <rect
            key={part.kind}
            {...markOf(part.kind, css[part.kind])}
            x={from}
            y={8}
            width={Math.max(1, x - from - 1)}
            height={20}
          >
            <title>{`${part.name} ${format(part.seconds, 's')}`}</title>
          </rect>
        )
      })}
      {gap !== null && (
        <rect
          x={end + 1}
          y={8.5}
          width={Math.max(1, gap * k - 1)}
          height={19}
          style={{ fill: hatch('waiting'), stroke: 'var(--waiting)' }}
        >
          <title>{`between the layers: ${format(gap, 's')}`}</title>
        </rect>
      )}
      {inside || gap !== null
        ? inside && (
            <text {...markOf(known[0]?.kind, insideOf(known[0]?.kind))} x={8} y={22}>
              {total}
            </text>
          )
        : beside && (
            <text className={css.strong} x={end + 8} y={22}>
              {total}
            </text>
          )}
      <text y={44}>{under}</text>
      {gap !== null && fits(`${under}${gapText}`, width - 90) && (
        <text className={css.label} x={width - 4} y={44} textAnchor="end">
          {gapText}
        </text>
      )}
    </>
  )
}

function NotRecorded({ width, hatch, under }: { width: number; hatch: string; under: string }) {
  return (
    <>
      <rect
        x={0.5}
        y={8.5}
        width={width - 5}
        height={19}
        style={{ fill: hatch, stroke: 'var(--line-strong)' }}
      />
      <text y={44}>{under}</text>
    </>
  )
}

const orMissing = (value: number | null, say: (v: number) => string) =>
  value === null ? 'not recorded' : say(value)

export const chart = defineChart<Stack>({
  id: 'layer-stack',
  order: 1,
  wide: true,
  question: 'Who moves the bytes, and where does the time go, between the call and the disk?',
  read,
  sentence,
  caption: ({ layers, growth, overlap }) =>
    [
      'Times are those of the mean rank: of all ranks, divided by their number.',
      overlap &&
        "Some calls ran beside others, in threads or below nonblocking calls: a layer's seconds are then more than a rank spent.",
      layers.some((l) => l.layer === 'MPI-IO') &&
        layers.some((l) => l.layer === 'POSIX') &&
        'POSIX holds what MPI-IO passes down, and what the program calls itself.',
      growth !== null && grownAtAll(growth) && 'Hatched: bytes that MPI-IO was not asked for.',
      layers.some((l) => l.partial) && 'A layer marked “at least” is recorded in part.',
    ]
      .filter(Boolean)
      .join(' '),
  links: ({ growth, links }) =>
    groupNames(
      (growth?.files ?? []).map((file) => file.file),
      links,
    ),
  table: ({ layers, growth }) => ({
    head: ['layer', 'ranks', 'written', 'read', 'calls', 'time, mean rank', 'writing', 'reading', 'metadata'],
    rows: layers
      .map((l) => [
        l.layer,
        orMissing(l.ranks, count),
        orMissing(l.bytes_written, (v) => format(v, 'B')),
        orMissing(l.bytes_read, (v) => format(v, 'B')),
        orMissing(l.calls, count),
        orMissing(secondsOf(l), (v) => format(v, 's')),
        orMissing(l.write_s, (v) => format(v, 's')),
        orMissing(l.read_s, (v) => format(v, 's')),
        orMissing(l.metadata_s, (v) => format(v, 's')),
      ])
      .concat(
        (growth?.files ?? []).map((f) => [
          `MPI-IO to POSIX, ${baseName(f.file)}`,
          '',
          `${format(f.asked_written, 'B')} to ${format(f.stored_written, 'B')}`,
          `${format(f.asked_read, 'B')} to ${format(f.stored_read, 'B')}, ${format(f.unasked_read, 'B')} unasked`,
          '',
          '',
          '',
          '',
          '',
        ]),
      ),
  }),
  Plot,
})
