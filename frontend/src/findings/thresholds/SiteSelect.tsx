import { useRef, useState } from 'react'
import button from '../../ui/Button.module.css'

export interface SiteChoice {
  readonly id: string
  readonly title: string
}

/** A choice has the case read again. With the pointer each change is one; arrow keys pass over the sites between, so
 * that Enter, or leaving the field, makes the choice there, and Escape takes it back. */
export function SiteSelect({
  id,
  sites,
  site,
  onSite,
}: {
  id: string
  sites: readonly SiteChoice[]
  site: string
  onSite: (id: string) => void
}) {
  const [passing, setPassing] = useState<string | null>(null)
  const byKeys = useRef(false)
  const choose = (chosen: string | null) => {
    setPassing(null)
    if (chosen !== null && chosen !== site) onSite(chosen)
  }
  return (
    <select
      className={button.select}
      id={id}
      value={passing ?? site}
      aria-describedby={`${id}-keys`}
      onPointerDown={() => {
        byKeys.current = false
      }}
      onKeyDown={({ key }) => {
        byKeys.current = key !== 'Enter'
        if (key === 'Enter') choose(passing)
        if (key === 'Escape') setPassing(null)
      }}
      onBlur={() => choose(passing)}
      onChange={({ target }) => (byKeys.current ? setPassing(target.value) : choose(target.value))}
    >
      {sites.map(({ id: one, title }) => (
        <option key={one} value={one}>
          {title}
        </option>
      ))}
    </select>
  )
}
