import { memo, useId } from 'react'
import type { Portrait as Shape } from '../api/types'
import { Hatch } from '../charts/frame/Hatch'
import { format } from '../format'
import css from './Portrait.module.css'

const WIDTH = 72
const BAND = 9
const GAP = 1
const MOST = 9
/** Where no source tells ranks apart, how high the part of the band is that all bytes stand in. */
const LEAST_HEIGHT = 1.5

/** A job's I/O at a line's height; the glossary says how it is read. A list of many draws each once. */
export const Portrait = memo(function Portrait({ of }: { of: Shape | null }) {
  if (of === null) return <NoPortrait />
  const height = of.bands.length * (BAND + GAP) - GAP + 3
  return (
    <svg
      className={css.portrait}
      viewBox={`0 0 ${WIDTH} ${height}`}
      width={WIDTH}
      height={height}
      role="img"
      aria-label={inWords(of)}
    >
      <title>{inWords(of)}</title>
      {of.bands.map((band, i) => (
        <g key={band.layer} transform={`translate(0 ${i * (BAND + GAP)})`}>
          <rect className={css.nothing} width={WIDTH} height={BAND} />
          <Band band={band} of={of} />
        </g>
      ))}
      {of.in_use?.map((level, column) =>
        level === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
            key={column}
            className={css.use}
            x={(column * WIDTH) / of.columns}
            y={height - 2}
            width={WIDTH / of.columns}
            height={2}
            opacity={0.25 + (0.75 * level) / MOST}
          />
        ),
      )}
    </svg>
  )
})

const NONE = 'No picture: no source says which layer moved what.'

function NoPortrait() {
  const id = useId()
  return (
    <svg
      className={css.portrait}
      viewBox={`0 0 ${WIDTH} ${BAND}`}
      width={WIDTH}
      height={BAND}
      role="img"
      aria-label={NONE}
    >
      <title>{NONE}</title>
      <Hatch id={id} colour="var(--line-strong)" stroke={1} />
      <rect width={WIDTH} height={BAND} fill={`url(#${id})`} />
    </svg>
  )
}

function Band({ band, of }: { band: Shape['bands'][number]; of: Shape }) {
  const tall = BAND / of.rows
  if (band.cells) {
    return shaded(band.cells, of.columns, tall).map(([level, d]) => (
      <path key={level} className={css.level} d={d} opacity={0.2 + (0.8 * level) / MOST} />
    ))
  }
  if (band.ranks) {
    return band.ranks.map((level, row) => (
      <rect
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        key={row}
        className={css.level}
        y={row * tall + 0.25}
        width={(level * WIDTH) / MOST}
        height={tall - 0.5}
      />
    ))
  }
  if (band.active === null || of.nprocs === null) return null
  const part = Math.max(LEAST_HEIGHT, (BAND * band.active) / of.nprocs)
  return <rect className={css.untimed} width={WIDTH} height={Math.min(BAND, part)} />
}

/** One path a level: of cells that follow one another in a row at the same level one rectangle. */
export function shaded(
  cells: readonly number[],
  columns: number,
  tall: number,
): readonly (readonly [level: number, d: string])[] {
  const paths = new Map<number, string>()
  const wide = WIDTH / columns
  for (let at = 0; at < cells.length; ) {
    const level = cells[at] ?? 0
    const end = (Math.floor(at / columns) + 1) * columns
    let next = at + 1
    while (next < end && cells[next] === level) next += 1
    if (level > 0) {
      const [x, y] = [(at % columns) * wide, Math.floor(at / columns) * tall]
      paths.set(level, `${paths.get(level) ?? ''}M${x} ${y}h${(next - at) * wide}v${tall}H${x}Z`)
    }
    at = next
  }
  return [...paths]
}

/** The same for who does not see it, and on hover. */
export function inWords({ bands, nprocs }: Shape): string {
  const layers = bands.map(({ layer, bytes_moved, seconds, ranks, cells }) => {
    const rows = ranks ?? (cells ? null : [])
    const busy = rows?.filter((level) => level > 0).length ?? 0
    const where = rows && rows.length > 1 && busy === 1 ? ', by few of the ranks' : ''
    const time = seconds === null ? '' : ` in ${format(seconds, 's')}`
    return `${layer} ${format(bytes_moved, 'B')}${time}${where}`
  })
  return `${layers.join('; ')}${nprocs === null ? '' : `; ${format(nprocs, 'ranks')}`}`
}
