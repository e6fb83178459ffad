import { format as d3format } from 'd3-format'
import { scaleLog } from 'd3-scale'
import type { CaseDocument } from '../analysis/caseDocument'
import { count, format, plural } from '../format'
import css from './Expectation.module.css'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { BANDWIDTHS } from './frame/evidence'
import marks from './frame/marks.module.css'
import { fits, textWidth } from './frame/text'

type Comparison = CaseDocument['expectation'][number]
type Curve = Comparison['curves'][number]
type Point = Comparison['points'][number]
type Row = Curve['rows'][number]

interface Expected {
  readonly all: readonly Comparison[]
  /** The one that is drawn, and the point it is drawn for. */
  readonly comparison: Comparison
  readonly point: Point
  readonly titles: ReadonlyMap<string, string>
}

const SCALES: Readonly<Record<Curve['unit'], number>> = {
  'MiB/s': 2 ** 20,
  'GiB/s': 2 ** 30,
  'MB/s': 1e6,
  'GB/s': 1e9,
}
const FIGURES: Readonly<Record<Curve['statistic'], string>> = {
  maximum: 'at most',
  quartiles: 'a median of',
  typical: 'typically',
  range: 'once',
}

function read(document: CaseDocument): Expected | MissingEvidence {
  const [comparison] = document.expectation
  const [point] = comparison?.points ?? []
  if (comparison && point) {
    const titles = new Map(document.documents.map((d) => [d.key, d.title]))
    return { all: document.expectation, comparison, point, titles }
  }
  const { id, title } = document.site
  return {
    missing: id.startsWith('generic')
      ? "The job's file system is of no site whose documents give bandwidths: nothing is compared."
      : `The documents of ${title} give no bandwidths for files like these, or the job's own bandwidth is not known.`,
    needs: BANDWIDTHS,
  }
}

/** A bandwidth in the document's own unit, so that it can be found there. */
function rate(value: number, { unit }: Pick<Curve, 'unit'>): string {
  const figure = figureIn(value, unit)
  return figure === null ? format(value, 'B/s') : `${figure}\u202f${unit}`
}

/** The job's own bandwidth as the rest of the page says it, unless the document counts by powers of ten. */
const ownRate = (value: number, of: Pick<Curve, 'unit'>): string =>
  of.unit.endsWith('iB/s') ? format(value, 'B/s') : rate(value, of)

/** Null where next to nothing of the unit is left. */
function figureIn(value: number, unit: Curve['unit']): string | null {
  const scaled = value / SCALES[unit]
  return scaled < 0.01 ? null : count(scaled >= 100 ? Math.round(scaled) : scaled)
}

function named(curve: Curve): string {
  if (curve.stripe_count === null) return curve.title
  const stripes = curve.stripe_count < 0 ? 'all OSTs' : plural(curve.stripe_count, 'stripe')
  return curve.stripe_size_bytes === null ? stripes : `${stripes}, ${inMib(curve.stripe_size_bytes)}`
}

/** Stripe sizes are powers of two: "8 MiB", not "8.00 MiB". */
const inMib = (bytes: number) =>
  Number.isInteger(bytes / 2 ** 20) ? `${count(bytes / 2 ** 20)}\u202fMiB` : format(bytes, 'B')

const curveOf = (comparison: Comparison, id: string | null | undefined) =>
  comparison.curves.find((curve) => curve.id === id)

/** With the range of what was measured, where it is known at this process count. */
function figure(curve: Curve, point: Point, documented: number): string {
  const row = curve.rows.find(({ processes }) => processes === point.processes)
  const least = row?.minimum ?? documented
  if (curve.statistic === 'range' && least < documented) {
    return `${rate(least, curve)} to ${rate(documented, curve)}`
  }
  const figure = `${FIGURES[curve.statistic]} ${rate(documented, curve)}`
  const [low, high] = [row?.lower_quartile ?? null, row?.upper_quartile ?? null]
  return low === null || high === null
    ? figure
    : `${figure} (half of the runs ${rate(low, curve)} to ${rate(high, curve)})`
}

function sentence({ comparison, point }: Expected): string {
  const own = curveOf(comparison, point.own[0])
  const best = curveOf(comparison, point.best_curve)
  const unit = own ?? best ?? comparison.curves[0]
  if (!unit) return ''
  const verb = comparison.direction === 'write' ? 'wrote' : 'read'
  const did = `${point.label}: ${plural(point.processes, 'process', 'processes')} ${verb} ${ownRate(point.bytes_per_s, unit)}.`
  const where = `${comparison.site_title} measured`
  const parts = [did]
  if (own && point.documented !== null && point.fraction !== null) {
    const between = point.interpolated ? ', between two documented process counts' : ''
    const decides = own.statistic === 'range' ? ', which decides nothing' : ''
    parts.push(
      `${where} ${figure(own, point, point.documented)} with such settings${between}: this is ${format(point.fraction, 'share')} of it${decides}.`,
    )
  } else if (point.reason) parts.push(`${point.reason.charAt(0).toUpperCase()}${point.reason.slice(1)}.`)
  if (best && point.best !== null && !point.own.includes(best.id)) {
    parts.push(`With ${named(best)}, ${own ? 'it measured' : where} ${rate(point.best, best)}.`)
  }
  return parts.join(' ')
}

const heightFor = (width: number) => (width < 480 ? 260 : 300)
const TOP = 26
const BOTTOM = 34
const LEFT = 48
const GAP = 13

interface Frame {
  readonly x: (processes: number) => number
  readonly y: (rate: number) => number
  readonly right: number
  readonly height: number
  readonly xTicks: readonly number[]
  readonly yTicks: readonly number[]
}

function frameOf({ comparison }: Expected, width: number): Frame {
  const rows = comparison.curves.flatMap((curve) => curve.rows)
  const counts = [...rows.map((row) => row.processes), ...comparison.points.map((p) => p.processes)]
  const rates = [
    ...rows.flatMap((row) => [row.rate, row.lower_quartile, row.maximum].filter((r) => r !== null)),
    ...comparison.points.map((p) => p.bytes_per_s),
  ]
  const height = heightFor(width)
  const names = Math.max(...comparison.curves.map((curve) => textWidth(named(curve))))
  const right = width - Math.min(names + 14, width * 0.38)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const spread: [number, number] = least === most ? [least / 2, most * 2] : [least / 1.15, most * 1.1]
  const x = scaleLog(spread, [LEFT, right])
  const y = scaleLog([Math.min(...rates) / 1.4, Math.max(...rates) * 1.3], [height - BOTTOM, TOP])
  const unit = SCALES[comparison.curves[0]?.unit ?? 'MiB/s']
  const [low, high] = y.domain() as [number, number]
  const firsts = high / low < 20 ? [1, 2, 5] : [1, 3]
  const steps = firsts.flatMap((first) => Array.from({ length: 9 }, (_, i) => first * 10 ** (i - 2)))
  return {
    x: (processes) => x(processes),
    y: (value) => y(value),
    right,
    height,
    xTicks: apart(counts, x),
    yTicks: steps.map((tick) => tick * unit).filter((tick) => tick >= low && tick <= high),
  }
}

/** The process counts that have room for their number: those of the points first, then from the least. */
function apart(counts: readonly number[], x: (count: number) => number): number[] {
  const shown: number[] = []
  const room = (n: number) => shown.every((other) => Math.abs(x(n) - x(other)) >= 40)
  const rising = [...new Set(counts)].sort((a, b) => a - b)
  for (const n of [...counts.slice(-1), ...rising]) if (room(n)) shown.push(n)
  return shown
}

function Plot({ data, width }: { data: Expected; width: number }) {
  const { comparison, point } = data
  const frame = frameOf(data, width)
  const unit = comparison.curves[0]
  if (!unit) return null
  const best = curveOf(comparison, point.best_curve)
  return (
    <svg
      className={comparison.direction === 'write' ? css.write : css.read}
      viewBox={`0 0 ${width} ${frame.height}`}
      height={frame.height}
    >
      <title>Documented bandwidth by number of processes, and the job's own</title>
      <Axis
        side="left"
        edge={LEFT}
        scale={frame.y}
        ticks={frame.yTicks.map((at) => ({ at, words: d3format(',~r')(at / SCALES[unit.unit]) }))}
        grid={[LEFT, frame.right]}
        name={{ words: unit.unit, x: LEFT - 6, y: 11, end: true }}
      />
      <Axis
        side="bottom"
        edge={frame.height - BOTTOM}
        scale={frame.x}
        ticks={frame.xTicks.map((at) => ({ at, words: count(at) }))}
        line={[LEFT, frame.right]}
        name={{ words: 'processes', x: frame.right, y: frame.height - 4, end: true }}
      />
      {comparison.curves.map((curve) => (
        <g key={curve.id} className={point.own.includes(curve.id) ? css.own : undefined}>
          <Documented curve={curve} frame={frame} />
        </g>
      ))}
      <Names comparison={comparison} point={point} frame={frame} width={width} />
      {best && point.best !== null && (
        <>
          <line
            className={css.gap}
            x1={frame.x(point.processes)}
            x2={frame.x(point.processes)}
            y1={frame.y(point.bytes_per_s)}
            y2={frame.y(point.best)}
          />
          <circle className={css.best} cx={frame.x(point.processes)} cy={frame.y(point.best)} r={5}>
            <title>{`best documented: ${rate(point.best, best)} with ${named(best)}`}</title>
          </circle>
        </>
      )}
      {comparison.points.map((p) => (
        <circle
          key={`${p.label}${p.by}${p.bytes_per_s}${p.processes}`}
          className={css.point}
          cx={frame.x(p.processes)}
          cy={frame.y(p.bytes_per_s)}
          r={p === point ? 6 : 4}
        >
          <title>{`${p.label}: ${ownRate(p.bytes_per_s, unit)} with ${plural(p.processes, 'process', 'processes')}`}</title>
        </circle>
      ))}
      <Said data={data} frame={frame} unit={unit} narrow={width < 480} />
    </svg>
  )
}

/** The job's own figure and the best one, beside their marks: on the side that has room, the best where curves rise to
 * it, on the left. */
function Said({ data, frame, unit, narrow }: { data: Expected; frame: Frame; unit: Curve; narrow: boolean }) {
  const { comparison, point } = data
  const at = frame.x(point.processes)
  const best = curveOf(comparison, point.best_curve)
  const high = best && point.best !== null ? frame.y(point.best) : null
  const low = frame.y(point.bytes_per_s)
  const who = point.by === 'job' ? 'this job' : point.by
  const own = narrow ? ownRate(point.bytes_per_s, unit) : `${who}: ${ownRate(point.bytes_per_s, unit)}`
  const top = best && point.best !== null ? rate(point.best, best) : ''
  const most = narrow ? top : `best documented: ${top}`
  const near = high !== null && Math.abs(high - low) < 18
  return (
    <>
      <text
        className={marks.strong}
        {...beside(own, at, frame, 'right')}
        y={low + 18 > frame.height - BOTTOM ? low - 8 : low + (near ? 18 : 16)}
      >
        {own}
      </text>
      {high !== null && (
        <text className={marks.label} {...beside(most, at, frame, 'left')} y={high - 8}>
          {most}
        </text>
      )}
    </>
  )
}

function beside(text: string, at: number, frame: Frame, wanted: 'left' | 'right') {
  const onRight = { x: at + 9, textAnchor: 'start' as const }
  const onLeft = { x: at - 9, textAnchor: 'end' as const }
  const [right, left] = [fits(text, frame.right - at - 9, 12), fits(text, at - LEFT - 9, 12)]
  if (wanted === 'left') return left || !right ? onLeft : onRight
  return right || !left ? onRight : onLeft
}

/** A line through the rows of a table, or for one with quartiles a box from the lower to the upper, the median in it. */
function Documented({ curve, frame }: { curve: Curve; frame: Frame }) {
  const path = `M${curve.rows.map((row) => `${frame.x(row.processes)},${frame.y(row.rate)}`).join('L')}`
  return (
    <>
      {curve.rows.length > 1 && <path className={css.curve} d={path} />}
      {curve.rows.map((row) => (
        <g key={row.processes}>
          <Spread row={row} frame={frame} />
          <circle className={css.dot} cx={frame.x(row.processes)} cy={frame.y(row.rate)} r={2.5}>
            <title>{`${curve.title}, ${plural(row.processes, 'process', 'processes')}: ${rate(row.rate, curve)}`}</title>
          </circle>
        </g>
      ))}
    </>
  )
}

function Spread({ row, frame }: { row: Row; frame: Frame }) {
  if (row.lower_quartile === null || row.upper_quartile === null || row.maximum === null) return null
  const at = frame.x(row.processes)
  const [low, high, top] = [row.lower_quartile, row.upper_quartile, row.maximum].map(frame.y) as [
    number,
    number,
    number,
  ]
  return (
    <>
      <rect className={css.band} x={at - 14} y={high} width={28} height={Math.max(1, low - high)} />
      <line className={css.spread} x1={at} x2={at} y1={high} y2={top} />
      <line className={css.spreadEnd} x1={at - 7} x2={at + 7} y1={top} y2={top} />
      <line
        className={css.spreadEnd}
        x1={at - 14}
        x2={at + 14}
        y1={frame.y(row.rate)}
        y2={frame.y(row.rate)}
      />
    </>
  )
}

/** The names of the curves at their right ends, moved apart where they would collide. */
function Names({
  comparison,
  point,
  frame,
  width,
}: {
  comparison: Comparison
  point: Point
  frame: Frame
  width: number
}) {
  const ends = comparison.curves
    .flatMap((curve) => {
      const last = curve.rows.at(-1)
      return last ? [{ curve, from: frame.x(last.processes), wanted: frame.y(last.rate) }] : []
    })
    .sort((a, b) => a.wanted - b.wanted)
  let lowest = -Infinity
  return ends.map(({ curve, from, wanted }) => {
    const y = Math.max(wanted, lowest + GAP)
    lowest = y
    const x = frame.right + 8
    const own = point.own.includes(curve.id)
    const name = named(curve)
    const shown = fits(name, width - x)
      ? name
      : `${name.slice(0, Math.max(4, Math.floor((width - x) / 6.6) - 1))}…`
    return (
      <g key={curve.id}>
        <line className={css.leader} x1={from + 3} x2={x - 3} y1={wanted} y2={y} />
        <text className={own ? marks.name : undefined} x={x} y={y + 4}>
          {shown}
          <title>{curve.title}</title>
        </text>
      </g>
    )
  })
}

/** The unit that all documents of a table use: its column says it once, above figures that can be found there. */
function onlyUnit(all: readonly Comparison[]): Curve['unit'] | null {
  const [unit, ...others] = new Set(all.flatMap(({ curves }) => curves.map((curve) => curve.unit)))
  return unit !== undefined && others.length === 0 ? unit : null
}

function rowsOf(comparison: Comparison, only: Curve['unit'] | null): string[][] {
  const cell = (value: number, of: Pick<Curve, 'unit'>) =>
    (only === null ? null : figureIn(value, only)) ?? rate(value, of)
  const own = comparison.points.map((p) => {
    const unit = curveOf(comparison, p.own[0]) ?? curveOf(comparison, p.best_curve) ?? comparison.curves[0]
    const says = p.fraction === null ? (p.reason ?? '') : `${format(p.fraction, 'share')} of the documented`
    return [p.label, count(p.processes), unit ? cell(p.bytes_per_s, unit) : '', `${p.by}; ${says}`]
  })
  const documented = comparison.curves.flatMap((curve) =>
    curve.rows.map((row) => {
      const quartiles =
        row.lower_quartile !== null && row.upper_quartile !== null && row.maximum !== null
          ? `; quartiles ${rate(row.lower_quartile, curve)} and ${rate(row.upper_quartile, curve)}, at most ${rate(row.maximum, curve)}`
          : row.minimum !== null
            ? ` from ${rate(row.minimum, curve)}`
            : ''
      return [
        curve.title,
        count(row.processes),
        cell(row.rate, curve),
        `${curve.statistic === 'quartiles' ? 'median' : curve.statistic}${quartiles}`,
      ]
    }),
  )
  return [...own, ...documented]
}

function caption({ all, comparison, titles }: Expected): string {
  const [curve] = comparison.curves
  const where = curve ? `${titles.get(curve.document) ?? curve.document}, ${curve.section}` : ''
  const boxed = comparison.curves.some(({ statistic }) => statistic === 'quartiles')
  const boxes = boxed
    ? ' A box holds the middle half of the runs, its dot is the median, its line goes to the fastest.'
    : ''
  const retired = comparison.retired ? ' The system is retired: its figures are a documented example.' : ''
  const more = all.length > 1 ? ` ${plural(all.length - 1, 'more comparison')} in the table.` : ''
  return `${comparison.direction === 'write' ? 'Writing' : 'Reading'} on ${comparison.file_system_title}; measured ${curve?.measured ?? ''} (${where}). Both scales are logarithmic.${boxes}${retired}${more}`
}

export const chart = defineChart<Expected>({
  id: 'expectation',
  order: 5,
  wide: true,
  question: 'How fast could such files be here?',
  read,
  sentence,
  caption,
  table: ({ all }) => {
    const unit = onlyUnit(all)
    const bandwidth = unit === null ? 'bandwidth' : `bandwidth, ${unit}`
    return {
      head: ['files or settings', 'processes', bandwidth, 'what it is'],
      rows: all.flatMap((comparison) => rowsOf(comparison, unit)),
    }
  },
  Plot,
})
