import { max } from 'd3-array'
import { format } from '../../format'
import css from '../frame/marks.module.css'
import { fits, listed, textWidth } from '../frame/text'
import { secondsOf } from '../frame/words/rankWords'
import { NotRecorded } from './NotRecorded'
import { FIRST_LINE, insideOf, type Layer, type Part, SECOND_LINE } from './stack'

export const LayerTime: Part = ({ layer, stack, width, hatch, mark }) => {
  const gapOf = ({ layer: name }: Layer) => (name === 'POSIX' ? (stack.beyond?.exchange ?? null) : null)
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
            <text {...markOf(known[0]?.kind, insideOf(known[0]?.kind))} x={8} y={FIRST_LINE}>
              {total}
            </text>
          )
        : beside && (
            <text className={css.strong} x={end + 8} y={FIRST_LINE}>
              {total}
            </text>
          )}
      <text y={SECOND_LINE}>{under}</text>
      {gap !== null && fits(`${under}${gapText}`, width - 90) && (
        <text className={css.label} x={width - 4} y={SECOND_LINE} textAnchor="end">
          {gapText}
        </text>
      )}
    </>
  )
}
