import { baseName } from '../format'
import css from './Legend.module.css'
import { PAINTS } from './palette'
import type { Colour, Operation } from './requests'
import { OST_NOT_KNOWN } from './summary/sentences'

/** What the colours of the calls stand for. */
export function Legend({
  colour,
  names,
  operation,
  phases,
}: {
  colour: Colour
  names: readonly string[]
  operation: Operation | null
  /** Whether bars above the plane mark phases. */
  phases: boolean
}) {
  if (names.length === 0) return null
  const paints = PAINTS[colour]
  const shown =
    colour === 'operation' && operation !== null ? names.filter((name) => name === operation) : names
  return (
    <ul className={css.legend} aria-label="Colours">
      {shown.map((name) => {
        const code = names.indexOf(name)
        return (
          <li key={name} title={name}>
            <i
              style={{ background: name === OST_NOT_KNOWN ? paints.at(-1) : paints[code] }}
              aria-hidden="true"
            />
            {colour === 'file' ? baseName(name) : name}
          </li>
        )
      })}
      {phases && (
        <>
          <li>
            <i className={css.phase} aria-hidden="true" />
            many ranks inside together
          </li>
          <li>
            <i className={css.late} aria-hidden="true" />
            and the last one leaves late
          </li>
        </>
      )}
    </ul>
  )
}
