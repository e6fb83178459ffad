import { format } from '../../format'
import css from '../frame/marks.module.css'
import { listed } from '../frame/text'
import type { Taken } from './timeUse'

/** The seconds of each finding, then what none has, hatched. */
export function TakenBar({
  taken,
  x,
  hatch,
  room,
}: {
  taken: readonly Taken[]
  x: (seconds: number) => number
  hatch: string
  room: number
}) {
  const words = taken.map(({ name, seconds }) => `${name} ${format(seconds, 's')}`)
  let at = 0
  return (
    <>
      {taken.map(({ name, seconds, known }) => {
        const from = x(at)
        at += seconds
        const wide = Math.max(1, x(at) - from - 0.75)
        const look = known
          ? { style: { fill: 'var(--text-3)' } }
          : { style: { fill: `url(#${hatch}m)`, stroke: 'var(--line-strong)' } }
        return (
          <rect key={name} {...look} x={from} y={4.5} width={wide} height={17}>
            <title>{`${name}: ${format(seconds, 's')}`}</title>
          </rect>
        )
      })}
      <text className={css.below} x={x(0) + 4} y={37}>
        {listed(words, room)}
      </text>
    </>
  )
}
