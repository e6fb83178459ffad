import type { CompareLeaf, ThresholdInForce } from '../api/types'
import { quantity, type Shown } from '../format'
import css from './Bullet.module.css'
import { type BulletScale, bulletScale, leafUnit, thresholdWords } from './bulletScale'

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
  const unit = leafUnit(leaf, threshold)
  return (
    <div
      className={`${css.bullet} ${css[tone]} ${bare ? css.bare : ''}`}
      role="img"
      aria-label={inWords(leaf, unit, scale)}
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
          {thresholdWords(leaf, unit)}
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

function inWords(leaf: CompareLeaf, unit: Shown, scale: BulletScale): string {
  const value = leaf.value === null ? 'not recorded' : quantity(leaf.value, unit).exact
  const answer = leaf.answer === null ? 'cannot be decided' : leaf.answer ? 'true' : 'false'
  return `${value}; holds where ${thresholdWords(leaf, unit)}: ${answer}. Scale ${scale.low} to ${scale.high}${scale.log ? 'arithmic' : ''}.`
}
