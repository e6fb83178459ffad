import { count } from '../../format'
import css from '../frame/marks.module.css'
import { fits } from '../frame/text'
import { moversWords } from '../frame/words/rankWords'
import { FIRST_LINE, type Part, SECOND_LINE } from './stack'

const MANY = 512
/** Of the bar of a layer. */
const MIDDLE = 18

/** One square a rank, those that move bytes filled; above 512 ranks a bar of the share. */
export const LayerRanks: Part = ({ layer, stack, width, hatch }) => {
  const { nprocs } = stack
  const picture = Math.min(176, width * 0.5)
  const words = layer.ranks === null ? 'ranks' : moversWords({ movers: layer.ranks, ranks: null })
  const room = width - picture - 14
  const unknown = fits('which ones: not recorded', room) ? 'which ones: not recorded' : 'not recorded'
  const below = layer.ranks === null ? unknown : nprocs ? `of ${count(nprocs)}` : ''
  const columns = nprocs && nprocs > 256 ? 64 : nprocs && nprocs <= 16 ? 16 : 32
  const step = picture / columns
  // Their middle is that of the bars beside them, as long as they have room above it.
  const top = Math.max(0, MIDDLE - (Math.ceil((nprocs ?? 1) / columns) * step - step / 4) / 2)
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
            y={top + Math.floor(rank / columns) * step}
            width={step * 0.75}
            height={step * 0.75}
          />
        ))
      )}
      {active === 1 && nprocs !== null && nprocs > 1 && nprocs <= MANY && layer.ranks !== null && (
        <circle
          className={css.ring}
          cx={step * 0.375}
          cy={top + step * 0.375}
          r={Math.max(5.5, step * 0.62)}
        />
      )}
      <text className={css.strong} x={picture + 14} y={FIRST_LINE}>
        {words}
      </text>
      <text x={picture + 14} y={SECOND_LINE}>
        {below}
      </text>
    </>
  )
}
