import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { format } from '../../format'
import { Axis } from '../frame/Axis'
import { useMarks } from '../frame/linked'
import css from '../frame/marks.module.css'
import { secondTicks } from '../frame/secondTicks'
import { clipped, textWidth } from '../frame/text'
import { layerInWords } from '../frame/words/rankWords'
import { nameOf, type Reduced } from './rankUse'

const ROW = 46
/** From the middle of a mark to its name. */
const BESIDE = 10

/** The slowest and the fastest rank of each file on one axis of time, and the spread of all where it is known. */
export function Ends({ files, width }: { files: readonly Reduced[]; width: number }) {
  const mark = useMarks()
  const named = max(files, ({ slowest_rank }) => textWidth(`rank ${slowest_rank}`, 12)) ?? 0
  const x = scaleLinear([0, max(files, (file) => file.slowest_s) || 1], [2, width - named - BESIDE - 2]).nice(
    4,
  )
  const bottom = files.length * ROW + 4
  return (
    <svg viewBox={`0 0 ${width} ${bottom + 18}`} height={bottom + 18}>
      <title>Slowest and fastest rank of each file</title>
      <Axis
        side="bottom"
        edge={bottom}
        scale={x}
        ticks={secondTicks(x, 4)}
        grid={[0, bottom]}
        room={[0, width]}
      />
      {files.map((file, i) => {
        const y = i * ROW + 28
        const fast = file.fastest_s
        const ofLayer = `, ${layerInWords(file.layer)}`
        return (
          <g key={`${file.layer} ${file.file}`}>
            <text className={css.name} x={6} y={y - 12}>
              {clipped(nameOf(file), width - 6 - textWidth(ofLayer, 12), 12)}
              {ofLayer}
              <title>{nameOf(file)}</title>
            </text>
            {fast !== null && (
              <line className={css.whisker} x1={x(fast)} x2={x(file.slowest_s)} y1={y} y2={y} />
            )}
            {fast !== null && (
              <circle
                {...mark({ kind: 'rank', id: file.fastest_rank ?? -1 }, css.hollow)}
                cx={x(fast)}
                cy={y}
                r={4.5}
              >
                <title>{`fastest: rank ${file.fastest_rank ?? 0}, ${format(fast, 's')}`}</title>
              </circle>
            )}
            <circle
              {...mark({ kind: 'rank', id: file.slowest_rank }, css.time)}
              cx={x(file.slowest_s)}
              cy={y}
              r={5}
            >
              <title>{`slowest: rank ${file.slowest_rank}, ${format(file.slowest_s, 's')}`}</title>
            </circle>
            <text className={css.strong} x={x(file.slowest_s) + BESIDE} y={y + 4}>
              rank {file.slowest_rank}
            </text>
            {fast !== null && x(file.slowest_s) - x(fast) > 60 && (
              <text
                className={css.label}
                x={x(fast)}
                y={y + 16}
                textAnchor={x(fast) < 40 ? 'start' : 'middle'}
              >
                rank {file.fastest_rank}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}
