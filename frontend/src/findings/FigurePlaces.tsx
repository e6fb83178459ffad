import { useState } from 'react'
import { sourceName } from '../analysis/caseDocument'
import type { Where } from '../api/types'
import { baseName, count, linesWords } from '../format'
import button from '../ui/Button.module.css'
import { useCase } from './CaseContext'
import css from './FindingRow.module.css'

const SHOWN = 6

/** Each place a figure stands, to be opened: a range of lines, or a counter of a record. */
export function FigurePlaces({ places }: { places: readonly Where[] }) {
  const { document, show } = useCase()
  const [all, setAll] = useState(false)
  const shown = all ? places : places.slice(0, SHOWN)
  return (
    <span className={css.places}>
      {shown.map((place) => (
        <span key={JSON.stringify(place)}>
          <button type="button" className={button.link} onClick={() => show(place)}>
            {place.at.kind === 'lines' ? linesWords(place.at.first, place.at.last) : place.at.counter}
          </button>{' '}
          <span className="muted">{of(place, sourceName(document, place.source))}</span>
        </span>
      ))}
      {places.length > SHOWN && !all && (
        <button type="button" className={button.link} onClick={() => setAll(true)}>
          {count(places.length - SHOWN)} more
        </button>
      )}
    </span>
  )
}

function of(place: Where, source: string): string {
  if (place.at.kind === 'lines') return `of ${source}`
  if (place.at.file) return `of ${baseName(place.at.file)}`
  return place.at.record === null ? 'summed over files' : ''
}
