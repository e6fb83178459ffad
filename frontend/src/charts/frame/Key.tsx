import { LinkedName } from './linked'
import css from './marks.module.css'

const MEANINGS = [
  ['write', css.kWrite, false],
  ['read', css.kRead, false],
  ['metadata', css.kMetadata, false],
  ['waiting, exchange', css.kWaiting, true],
  ['collective', css.kCollective, false],
  ['independent', css.kIndependent, true],
] as const

/** The legend for all charts: one meaning for each colour. Writes and reads can be highlighted in all charts from
 * here. */
export function Key() {
  return (
    <p className={css.key}>
      {MEANINGS.map(([word, colour, hatched]) =>
        word === 'write' || word === 'read' ? (
          <LinkedName key={word} link={{ kind: 'direction', id: word }} className={css.linked}>
            <Swatch colour={colour} hatched={hatched} />
            {word}
          </LinkedName>
        ) : (
          <span key={word}>
            <Swatch colour={colour} hatched={hatched} />
            {word}
          </span>
        ),
      )}
    </p>
  )
}

function Swatch({ colour, hatched }: { colour: string | undefined; hatched: boolean }) {
  return <i className={`${colour} ${hatched ? css.hatched : ''}`} aria-hidden="true" />
}
