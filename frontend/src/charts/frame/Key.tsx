import css from './marks.module.css'

const MEANINGS = [
  ['write', css.kWrite, false],
  ['read', css.kRead, false],
  ['metadata', css.kMetadata, false],
  ['waiting, exchange', css.kWaiting, true],
  ['collective', css.kCollective, false],
  ['independent', css.kIndependent, true],
] as const

/** One meaning a colour, said once above all pictures. */
export function Key() {
  return (
    <p className={css.key}>
      {MEANINGS.map(([word, colour, hatched]) => (
        <span key={word}>
          <i className={`${colour} ${hatched ? css.hatched : ''}`} aria-hidden="true" />
          {word}
        </span>
      ))}
    </p>
  )
}
