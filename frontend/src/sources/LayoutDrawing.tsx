import { cumsum, sum } from 'd3-array'
import marks from '../charts/frame/marks.module.css'
import { textWidth } from '../charts/frame/text'
import { useWidth } from '../charts/frame/useWidth'
import { exactly, plural } from '../format'
import type { PartOf } from './textEvidence'

type Layout = PartOf<'stripe_layout'>
type Component = Layout['components'][number]

const CELL = 26
const HEAD = 18
/** Of a component over more, the first are drawn. */
const MOST = 64

/** A file from its first byte to its last, a row for each component: a cell a stripe, with its OST, and then again from
 * the first. A default, or what is not yet written, has no OSTs: its cells are hollow. */
export default function LayoutDrawing({ layout, name }: { layout: Layout; name: string }) {
  const [box, width] = useWidth<HTMLDivElement>()
  const columns = Math.max(1, Math.floor(width / CELL))
  const mirrored = new Set(layout.components.map(({ mirror_id }) => mirror_id)).size > 1
  const drawn = layout.components
    .filter((one) => stripesOf(one) > 0)
    .map((component) => ({ component, stripes: Math.min(MOST, stripesOf(component)) }))
  if (drawn.length === 0) return null
  const heights = drawn.map(({ stripes }) => HEAD + Math.ceil(stripes / columns) * CELL + 10)
  const tops = [0, ...cumsum(heights)]
  const height = sum(heights)
  return (
    <div ref={box}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={`Stripes of ${name}`}
      >
        {drawn.map(({ component, stripes }, i) => (
          <g key={`${component.line}:${component.start_bytes}`} transform={`translate(0 ${tops[i]})`}>
            <text className={marks.name} y={12}>
              {wordsOf(component, mirrored, width)}
            </text>
            {Array.from({ length: stripes }, (_, at) => (
              <Stripe
                // biome-ignore lint/suspicious/noArrayIndexKey: a stripe is its place in the row
                key={at}
                x={(at % columns) * CELL}
                y={HEAD + Math.floor(at / columns) * CELL}
                ost={component.osts[at] ?? null}
              />
            ))}
          </g>
        ))}
      </svg>
    </div>
  )
}

function Stripe({ x, y, ost }: { x: number; y: number; ost: number | null }) {
  const side = CELL - 3
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect
        className={ost === null ? marks.hollow : marks.off}
        x={1}
        y={1}
        width={side}
        height={side}
        rx={3}
      />
      {ost !== null && (
        <text className={marks.name} x={1 + side / 2} y={17} textAnchor="middle">
          {ost}
        </text>
      )}
    </g>
  )
}

const stripesOf = ({ stripe_count, osts, over_all_osts }: Component): number =>
  over_all_osts ? osts.length : Math.max(osts.length, stripe_count ?? 0)

/** As much of it as has room. */
function wordsOf(component: Component, mirrored: boolean, width: number): string {
  const { start_bytes, end_bytes, stripe_size_bytes: size, mirror_id } = component
  const stripes = stripesOf(component)
  const more = stripes > MOST ? `, the first ${MOST} drawn` : ''
  const whole = start_bytes === 0 && end_bytes === null
  const of = mirrored && mirror_id !== null ? `mirror ${mirror_id}, ` : ''
  const extent = whole
    ? 'all bytes'
    : `${exactly(start_bytes, 'B')} to ${end_bytes === null ? 'the end' : exactly(end_bytes, 'B')}`
  const from = `${of}${extent}`
  const pieces = size === null ? '' : `, pieces of ${exactly(size, 'B')} in turn`
  const facts = [
    `${from}: ${plural(stripes, 'stripe')}${pieces}${more}`,
    `${from}: ${plural(stripes, 'stripe')}`,
    from,
  ]
  return facts.find((one) => textWidth(one, 12) < width) ?? from
}
