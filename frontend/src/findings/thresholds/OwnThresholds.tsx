import type { Thresholds } from '../../analysis/evaluate'
import { stringifySearch } from '../../analysis/search'
import { meantBy, type Setting, sameThresholds } from '../../analysis/thresholds'
import { BASE } from '../../api/client'
import { EXPORTED_CASE } from '../../api/embedded'
import { exactly, plural } from '../../format'
import button from '../../ui/Button.module.css'
import css from '../Rail.module.css'
import { storeThresholds, useStoredThresholds } from './storedThresholds'

/** Which numbers are the reader's own, how to return to the documents', and how to use the own ones on the next
 * case. */
export function OwnThresholds({
  settings,
  site,
  onUse,
}: {
  settings: readonly Setting[]
  /** The site whose thresholds hold for all others. */
  site: string
  /** Called with all of a person's own numbers at once; none returns every threshold to the documents'. */
  onUse: (own: Thresholds) => void
}) {
  const stored = useStoredThresholds()
  const changed = settings.filter((s) => s.changed)
  const own = Object.fromEntries(changed.map((s) => [s.threshold.id, s.value]))
  const known = Object.fromEntries(
    settings.flatMap(({ threshold, given }) => {
      const number = stored[threshold.id]
      return number === undefined || number === given || meantBy(number, threshold, given) === null
        ? []
        : [[threshold.id, number] as const]
    }),
  )
  const count = Object.keys(known).length
  const inForce = sameThresholds(own, known)
  return (
    <div className={changed.length > 0 || count > 0 ? css.changed : undefined}>
      <div role="status">
        {changed.length > 0 && (
          <>
            {plural(changed.length, 'threshold')} differ{changed.length === 1 ? 's' : ''} from the documents,
            kept in the address:
            <ul>
              {changed.map(({ threshold, given, value }) => (
                <li key={threshold.id}>
                  <span>{threshold.title}</span>
                  <span className="nowrap">
                    {exactly(given, threshold.unit)} → {exactly(value, threshold.unit)}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className={css.choices}>
        {changed.length > 0 && (
          <button type="button" className={button.link} onClick={() => onUse({})}>
            Back to the documents' values
          </button>
        )}
        {EXPORTED_CASE === null && changed.length > 0 && !inForce && (
          <button type="button" className={button.link} onClick={() => storeThresholds(own)}>
            Keep these as my numbers
          </button>
        )}
        {EXPORTED_CASE === null && changed.length > 0 && (
          <a href={profileAddress(site, own)} download>
            Save as a site profile
          </a>
        )}
        {count > 0 && !inForce && (
          <button type="button" className={button.link} onClick={() => onUse(known)}>
            Use my {plural(count, 'number')}
          </button>
        )}
        {count > 0 && inForce && (
          <>
            <span>These are the numbers you keep in this browser.</span>
            <button type="button" className={button.link} onClick={() => storeThresholds({})}>
              Forget them
            </button>
          </>
        )}
      </div>
    </div>
  )
}

/** The address of a file that `iotriage serve` accepts instead of the site's own profile. */
const profileAddress = (site: string, own: Thresholds): string =>
  new URL(`api/v1/sites/${site}/profile${stringifySearch({ set: own })}`, BASE).href
