import { greatest } from 'd3-array'
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import { useId } from 'react'
import { Axis } from '../../charts/frame/Axis'
import { Hatch } from '../../charts/frame/Hatch'
import marks from '../../charts/frame/marks.module.css'
import { secondTicks } from '../../charts/frame/secondTicks'
import { clipped } from '../../charts/frame/text'
import { useWidth } from '../../charts/frame/useWidth'
import { movesInWords } from '../../charts/frame/words/movesInWords'
import { baseName, count, format, plural, unbroken } from '../../format'
import { type Column, DataTable } from '../../ui/DataTable'
import { Scroll } from '../../ui/Scroll'
import summary from '../summary/Summary.module.css'
import css from './FileSpans.module.css'
import type { FileSpans as File, FileSpansView } from './queries'

const ROW = 22
const NARROW_ROW = 34
const TOP = 26
const UNDER = 26

/** When each file was in use, by the first and last times of its counters: nothing tells what was done in between. */
export function FileSpans({ view }: { view: FileSpansView }) {
  const [frame, width] = useWidth<HTMLDivElement>(960)
  const hatch = useId()
  const narrow = width < 560
  const label = narrow ? 0 : Math.min(260, Math.round(width * 0.28))
  const row = narrow ? NARROW_ROW : ROW
  const bottom = TOP + view.files.length * row
  const x = scaleLinear([0, view.run_s], [label, width - 14])
  const left = view.files_total - view.files.length
  const ticks = secondTicks(x, narrow ? 3 : 6)
  return (
    <div className={css.spans}>
      <p className={summary.sentence} role="status">
        {unbroken(spansInWords(view))}
        {left > 0 &&
          ` Of ${plural(view.files_total, 'file')} those ${count(view.files.length)} are drawn on which calls took the most time.`}
      </p>
      <Legend files={view.files} />
      <div ref={frame}>
        <svg viewBox={`0 0 ${width} ${bottom + UNDER}`} height={bottom + UNDER} width="100%" role="img">
          <title>When each file was in use; the same stands in the table below</title>
          <defs>
            <Hatch id={hatch} colour="var(--unknown)" />
          </defs>
          <Axis side="bottom" edge={0} scale={x} ticks={ticks} room={[0, width]} />
          <Axis
            side="bottom"
            edge={bottom}
            scale={x}
            ticks={ticks}
            grid={[TOP - 4, bottom]}
            room={[0, width]}
          />
          {view.files.map((file, i) => (
            <g key={file.path} transform={`translate(0 ${TOP + i * row})`}>
              <title>{fileInWords(file)}</title>
              <rect className={marks.over} width={width} height={row} />
              <text className={marks.name} x={0} y={narrow ? 12 : 15}>
                {clipped(baseName(file.path), narrow ? width : label - 12, 12)}
              </text>
              <Bars file={file} x={x} top={narrow ? 16 : 3} end={view.run_s} unknown={`url(#${hatch})`} />
            </g>
          ))}
        </svg>
      </div>
      <details className={summary.more}>
        <summary>The times in figures</summary>
        <Scroll label="When each file was in use">
          <DataTable
            caption="When each file was in use"
            columns={COLUMNS}
            rows={view.files}
            keyOf={(file) => file.path}
          />
        </Scroll>
      </details>
    </div>
  )
}

/** Of what is drawn, above it: of a hundred files nobody looks for it below. */
function Legend({ files }: { files: readonly File[] }) {
  return (
    <ul className={css.legend} aria-label="Colours">
      <li>
        <i className={css.open} aria-hidden="true" /> open
      </li>
      {files.some(({ writes }) => writes.length > 0) && (
        <li>
          <i className={css.write} aria-hidden="true" /> from the first write to the last
        </li>
      )}
      {files.some(({ reads }) => reads.length > 0) && (
        <li>
          <i className={css.read} aria-hidden="true" /> from the first read to the last
        </li>
      )}
      {files.some((file) => firstOf(file) === null || file.closed_s === null) && (
        <li>
          <i className={css.unknown} aria-hidden="true" /> not recorded
        </li>
      )}
    </ul>
  )
}

/** Open as a line, the bytes as bars on it. What was not recorded is hatched to the end of the run. */
function Bars({
  file,
  x,
  top,
  end,
  unknown,
}: {
  file: File
  x: ScaleLinear<number, number>
  top: number
  end: number
  unknown: string
}) {
  const from = firstOf(file)
  if (from === null) return <rect x={x(0)} y={top + 3} width={x(end) - x(0)} height={10} fill={unknown} />
  const wide = (a: number, b: number) => Math.max(2, x(b) - x(a))
  const both = file.reads.length > 0 && file.writes.length > 0
  return (
    <g transform={`translate(0 ${top})`}>
      {file.closed_s === null ? (
        <rect x={x(from)} y={6} width={wide(from, end)} height={4} fill={unknown} />
      ) : (
        <rect className={css.openLine} x={x(from)} y={7} width={wide(from, file.closed_s)} height={2} />
      )}
      {file.writes.map((span) => (
        <rect
          key={`w${span.from_s}`}
          className={marks.write}
          x={x(span.from_s)}
          y={both ? 1 : 2}
          width={wide(span.from_s, span.to_s)}
          height={both ? 6 : 12}
        />
      ))}
      {file.reads.map((span) => (
        <rect
          key={`r${span.from_s}`}
          className={marks.read}
          x={x(span.from_s)}
          y={both ? 9 : 2}
          width={wide(span.from_s, span.to_s)}
          height={both ? 6 : 12}
        />
      ))}
    </g>
  )
}

function firstOf({ opened_s, reads, writes }: File): number | null {
  const begins = [...(opened_s === null ? [] : [opened_s]), ...[...reads, ...writes].map((s) => s.from_s)]
  return begins.length === 0 ? null : Math.min(...begins)
}

type Stretches = File['reads']

function stretches(spans: Stretches): string | null {
  const [first, last] = [spans[0], spans.at(-1)]
  if (!first || !last) return null
  const range = `${format(first.from_s, 's')} to ${format(last.to_s, 's')}`
  return spans.length === 1 ? range : `${range} in ${count(spans.length)} stretches`
}

const openWords = ({ opened_s, closed_s }: File): string =>
  `${opened_s === null ? 'opening not recorded' : format(opened_s, 's')} to ${closed_s === null ? 'close not recorded' : format(closed_s, 's')}`

function fileInWords(file: File): string {
  if (file.untimed) return `${file.path}: no time was recorded.`
  const [written, read] = [stretches(file.writes), stretches(file.reads)]
  const moved = [written && `written ${written}`, read && `read ${read}`].filter(Boolean)
  return `${file.path}: ${[`open ${openWords(file)}`, ...moved].join('; ')}.`
}

/** When the first and the last byte moved, and on which file calls took the most time. */
function spansInWords({ files, moved, run_s }: FileSpansView): string {
  const longest = greatest(files, ({ in_calls_s }) => in_calls_s)
  if (!moved || !longest) return 'No read or write has a time; it is known when the files were open.'
  const [written, read] = [longest.writes, longest.reads].map(stretches)
  const facts = [written && `written from ${written}`, read && `read from ${read}`].filter(Boolean)
  return `${movesInWords(moved.from_s, moved.to_s, run_s)}. Calls took the most time on ${baseName(longest.path)}${facts.length > 0 ? `, ${facts.join(' and ')}` : ''}.`
}

const COLUMNS: readonly Column<File>[] = [
  { name: 'file', cell: (file) => <span title={file.path}>{baseName(file.path)}</span> },
  { name: 'open', cell: openWords },
  { name: 'written', cell: ({ writes }) => stretches(writes) ?? '–' },
  { name: 'read', cell: ({ reads }) => stretches(reads) ?? '–' },
  { name: 'bytes written', number: true, cell: ({ written_bytes }) => format(written_bytes, 'B') },
  { name: 'bytes read', number: true, cell: ({ read_bytes }) => format(read_bytes, 'B') },
  { name: 'time in calls', number: true, cell: ({ in_calls_s }) => format(in_calls_s, 's') },
]
