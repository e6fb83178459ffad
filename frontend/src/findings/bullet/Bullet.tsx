import type { CompareLeaf } from '../../analysis/condition'
import type { ThresholdInForce } from '../../api/types'
import { format, quantity } from '../../format'
import css from './Bullet.module.css'
import { type BulletScale, bulletScale, thresholdWords } from './bulletScale'
import type { BulletMark } from './marks'

export type Tone = 'high' | 'medium' | 'low' | 'info' | 'clear' | 'unknown' | 'neutral'

/** One value against one threshold: the hatched zone is where the comparison is true. */
export function Bullet({
  leaf,
  threshold,
  tone,
  bare = false,
  marks = [],
  bounds = ['', ''],
}: {
  leaf: CompareLeaf
  threshold: ThresholdInForce | undefined
  tone: Tone
  bare?: boolean
  /** Diamonds: what documents and measurements say. */
  marks?: readonly BulletMark[]
  /** What is said before and behind the value. */
  bounds?: readonly [before: string, behind: string]
}) {
  const marked = ({ value, says }: BulletMark) => `${format(value, leaf.unit)} ${says}.`
  const scale = bulletScale(
    leaf,
    threshold,
    marks.map(({ value }) => value),
  )
  return (
    <div
      className={`${css.bullet} ${css[tone]} ${bare ? css.bare : ''}`}
      role="img"
      aria-label={[inWords(leaf, scale, bounds), ...marks.map(marked)].join(' ')}
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
      {marks.map((mark, i) => (
        <span
          key={mark.says}
          className={css.mark}
          style={{ left: `${scale.marks[i]}%` }}
          title={marked(mark)}
        />
      ))}
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

function inWords(
  leaf: CompareLeaf,
  scale: BulletScale,
  [before, behind]: readonly [before: string, behind: string],
): string {
  const value =
    leaf.value === null ? 'not recorded' : `${before}${quantity(leaf.value, leaf.unit).exact}${behind}`
  const answer = leaf.answer === null ? 'cannot be decided' : leaf.answer ? 'true' : 'false'
  return `${value}; holds where ${thresholdWords(leaf)}: ${answer}. Scale ${scale.low} to ${scale.high}${scale.log ? 'arithmic' : ''}.`
}
