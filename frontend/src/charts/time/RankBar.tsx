import { format } from '../../format'
import type { useMarks } from '../frame/linked'
import css from '../frame/marks.module.css'
import { fits, listed } from '../frame/text'
import { type Known, knownOf, nameOf, partsOf, type Rank } from './timeUse'

const partWords = (part: Known) => `${nameOf(part.kind)} ${format(part.seconds, 's')}`

/** The seconds of one rank by what they went into, and the rest of the run. */
export function RankBar({
  rank,
  words: undivided,
  x,
  run,
  end,
  hatch,
  mark,
  room,
}: {
  rank: Rank
  words: string
  x: (seconds: number) => number
  /** When the run ends, which may be behind the axis. */
  run: number | null
  /** Of the axis. */
  end: number
  hatch: string
  mark: ReturnType<typeof useMarks>
  /** For words below it. */
  room: number
}) {
  const known = knownOf(rank).filter((part) => part.seconds > 0)
  const missing = partsOf(rank).filter((part) => part.seconds === null)
  const whole = known.length === 0
  let at = 0
  const noParts = `${undivided}, its parts are not recorded`
  const inOrder = known.map(partWords)
  const longestFirst = [...known].sort((a, b) => b.seconds - a.seconds).map(partWords)
  const words = whole
    ? fits(noParts, room)
      ? noParts
      : undivided
    : listed(fits(inOrder.join(', '), room) ? inOrder : longestFirst, room)
  return (
    <>
      {run !== null && run > rank.total_s && (
        <rect
          className={css.off}
          x={x(rank.total_s)}
          y={4}
          width={x(Math.min(run, end)) - x(rank.total_s)}
          height={18}
          fillOpacity={0.45}
        >
          <title>{`the rest of the run: ${format(run - rank.total_s, 's')}`}</title>
        </rect>
      )}
      {whole && (
        <rect
          x={x(0) + 0.5}
          y={4.5}
          width={Math.max(2, x(rank.total_s) - x(0) - 1)}
          height={17}
          style={{ fill: `url(#${hatch}m)`, stroke: 'var(--line-strong)' }}
        >
          <title>{`${format(rank.total_s, 's')}: ${missing[0]?.reason ?? 'not divided'}`}</title>
        </rect>
      )}
      {known.map((part) => {
        const from = x(at)
        at += part.seconds
        const wide = Math.max(1, x(at) - from - 0.75)
        const title = <title>{`${nameOf(part.kind)}: ${format(part.seconds, 's')}`}</title>
        if (part.kind === 'exchange')
          return (
            <rect
              key={part.kind}
              x={from}
              y={4.5}
              width={wide}
              height={17}
              style={{ fill: `url(#${hatch}w)`, stroke: 'var(--waiting)' }}
            >
              {title}
            </rect>
          )
        if (part.kind === 'streams' || part.kind === 'library' || part.kind === 'not_split')
          return (
            <rect
              key={part.kind}
              className={part.kind === 'not_split' ? undefined : css.hollow}
              x={from}
              y={4.5}
              width={wide}
              height={17}
              strokeDasharray={part.kind === 'library' ? '3 2' : undefined}
              style={
                part.kind === 'not_split'
                  ? { fill: `url(#${hatch}m)`, stroke: 'var(--line-strong)' }
                  : undefined
              }
            >
              {title}
            </rect>
          )
        const look =
          part.kind === 'metadata'
            ? { className: css.metadata }
            : mark({ kind: 'direction', id: part.kind }, css[part.kind])
        return (
          <rect key={part.kind} {...look} x={from} y={4} width={wide} height={18}>
            {title}
          </rect>
        )
      })}
      <text className={css.below} x={x(0) + 4} y={37}>
        {words}
      </text>
    </>
  )
}
