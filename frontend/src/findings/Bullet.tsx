import type { CompareLeaf, ThresholdInForce } from '../api/types'
import { quantity } from '../format'
import css from './Bullet.module.css'
import { type BulletScale, bulletScale, thresholdWords } from './bulletScale'

export type Tone = 'high' | 'medium' | 'low' | 'info' | 'clear' | 'unknown' | 'neutral'

/** One value against one threshold: the hatched zone is where the comparison is true. */
export function Bullet({
  leaf,
  threshold,
  tone,
  bare = false,
}: {
  leaf: CompareLeaf
  threshold: ThresholdInForce | undefined
  tone: Tone
  bare?: boolean
}) {
  const scale = bulletScale(leaf, threshold)
  return (
    <div
      className={`${css.bullet} ${css[tone]} ${bare ? css.bare : ''}`}
      role="img"
      aria-label={inWords(leaf, scale)}
    >
      <span className={`${css.range} ${scale.value === null ? css.absent : ''}`} />
      {scale.value !== null && (
        <span
          className={css.zone}
          style={{ left: `${scale.zone[0]}%`, width: `${scale.zone[1] - scale.zone[0]}%` }}
        />
      )}
      <span className={css.tick} style={{ left: `${scale.threshold}%` }} />
      {!bare && (
        <span className={`${css.tickLabel} ${side(scale.threshold)}`} style={{ left: `${scale.threshold}%` }}>
          {thresholdWords(leaf)}
        </span>
      )}
      {scale.value !== null && <span className={css.dot} style={{ left: `${scale.value}%` }} />}
      {!bare && (
        <>
          <span className={`${css.end} ${css.endLow}`}>{scale.low}</span>
          <span className={`${css.end} ${css.endHigh}`}>{scale.high}</span>
        </>
      )}
    </div>
  )
}

const side = (at: number) => (at < 9 ? css.atLeft : at > 91 ? css.atRight : '')

function inWords(leaf: CompareLeaf, scale: BulletScale): string {
  const value = leaf.value === null ? 'not recorded' : quantity(leaf.value, leaf.unit).exact
  const answer = leaf.answer === null ? 'cannot be decided' : leaf.answer ? 'true' : 'false'
  return `${value}; holds where ${thresholdWords(leaf)}: ${answer}. Scale ${scale.low} to ${scale.high}${scale.log ? 'arithmic' : ''}.`
}
