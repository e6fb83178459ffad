import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../api/types'
import { count, plural, spoken } from '../format'
import { defineChart } from './frame/chart'
import { Hatch } from './frame/Hatch'
import css from './frame/marks.module.css'
import { fits } from './frame/text'

interface Direction {
  readonly name: 'writes' | 'reads'
  readonly independent: number
  readonly collective: number
  readonly nonblocking: number | null
  readonly source: string
}
interface Split {
  readonly directions: readonly Direction[]
}

function read(document: CaseDocument): Split | { missing: string; how: string; lines: string } {
  const directions = document.charts.collective
    .filter((split) => split.independent + split.collective > 0 || (split.nonblocking ?? 0) > 0)
    .map((split) => ({
      ...split,
      name: split.direction === 'write' ? ('writes' as const) : ('reads' as const),
    }))
    .sort((a, b) => (a.name === b.name ? 0 : a.name === 'writes' ? -1 : 1))
  if (directions.length > 0) return { directions }
  return {
    missing:
      'No MPI-IO calls are recorded: the program did not use MPI-IO, or its log does not have that module.',
    how: 'A Darshan log with the MPI-IO module counts these calls; so does Cray MPICH with',
    lines: 'export MPICH_MPIIO_STATS=1',
  }
}

const share = (part: number, of: number) => spoken(of === 0 ? 0 : part / of, 'share')

function sentence({ directions }: Split): string {
  const parts = directions.map(({ name, independent, collective, nonblocking }) => {
    const blocking = independent + collective
    const word = blocking === 1 ? name.slice(0, -1) : name
    if (blocking === 0) return `all ${plural(nonblocking ?? 0, name.slice(0, -1))} are non-blocking`
    if (independent === 0)
      return blocking === 1
        ? `the one ${word} is collective`
        : `all ${count(blocking)} ${word} are collective`
    if (collective === 0)
      return blocking === 1
        ? `the one ${word} is independent`
        : `all ${count(blocking)} ${word} are independent`
    return `${share(independent, blocking)} of the ${count(blocking)} ${word} are independent`
  })
  const text = `${parts.join('; ')}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function Plot({ data, width }: { data: Split; width: number }) {
  const id = useId()
  const left = 52
  const row = 50
  const hatch = `url(#${id})`
  const nonblocking = data.directions.some((d) => (d.nonblocking ?? 0) > 0)
  const height = data.directions.length * row + (nonblocking ? 22 : 4)
  const x = scaleLinear([0, 1], [left, width - 2])
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Collective and independent calls</title>
      <defs>
        <Hatch id={id} colour="var(--independent)" />
      </defs>
      {data.directions.map((d, i) => {
        const all = d.collective + d.independent
        const y = i * row + 2
        const middle = x(all === 0 ? 0 : d.collective / all)
        const inside = `${count(d.collective)} collective`
        const roomy = fits(inside, middle - left - 16, 12)
        const indep = `${count(d.independent)} independent`
        return (
          <g key={d.name}>
            <text className={css.name} x={0} y={y + 15}>
              {d.name}
            </text>
            {all > 0 && (
              <>
                <rect
                  className={css.collective}
                  x={left}
                  y={y}
                  width={Math.max(0, middle - left)}
                  height={22}
                >
                  <title>{inside}</title>
                </rect>
                {d.independent > 0 && (
                  <rect
                    x={Math.min(middle, x(1) - 2)}
                    y={y + 0.5}
                    width={Math.max(2, x(1) - middle - 0.5)}
                    height={21}
                    style={{ fill: hatch, stroke: 'var(--independent)' }}
                  >
                    <title>{indep}</title>
                  </rect>
                )}
                {roomy && (
                  <text className={css.inside} x={left + 8} y={y + 15}>
                    {inside}
                  </text>
                )}
                <text x={left} y={y + 37}>
                  {roomy ? share(d.collective, all) : `${inside}, ${share(d.collective, all)}`}
                </text>
                <text x={x(1)} y={y + 37} textAnchor="end">
                  {d.independent > 0 ? `${indep}, ${share(d.independent, all)}` : indep}
                </text>
              </>
            )}
          </g>
        )
      })}
      <line className={css.axis} x1={left} x2={left} y1={0} y2={data.directions.length * row - 4} />
      {nonblocking && (
        <text className={css.soft} x={0} y={height - 5}>
          non-blocking, kind unknown:{' '}
          {data.directions.map((d) => `${count(d.nonblocking ?? 0)} ${d.name}`).join(', ')}
        </text>
      )}
    </svg>
  )
}

export const chart = defineChart<Split>({
  id: 'collective-split',
  order: 2,
  question: 'Are the calls collective?',
  read,
  sentence,
  caption: ({ directions }) => {
    const sources = [...new Set(directions.map((d) => d.source))].join(' and ')
    return `Calls of the MPI-IO layer, summed over ranks; bars show shares. Counted by ${sources}.`
  },
  table: ({ directions }) => ({
    head: ['calls', 'collective', 'independent', 'non-blocking'],
    rows: directions.map((d) => [
      d.name,
      count(d.collective),
      count(d.independent),
      d.nonblocking === null ? 'not recorded' : count(d.nonblocking),
    ]),
  }),
  Plot,
})
