import { type Ref, useEffect, useState } from 'react'
import button from '../Button.module.css'
import { TYPED_MS, useDebounced } from './useDebounced'

/** A field whose words a list follows, or an address: each letter is shown at once, and what follows is told when typing
 * rests. */
export function TypedField({
  value,
  onRest,
  label,
  placeholder,
  className = '',
  ref,
}: {
  value: string
  onRest: (value: string) => void
  label: string
  placeholder: string
  className?: string | undefined
  ref?: Ref<HTMLInputElement>
}) {
  const [typed, setTyped] = useState(value)
  const [last, setLast] = useState(value)
  /** What was told and has not come back yet: letters that were typed in the meantime stay. */
  const [told, setTold] = useState<readonly string[]>([])
  if (value !== last) {
    setLast(value)
    const echo = told.indexOf(value)
    setTold(told.slice(echo + 1))
    // Words of its own: a view that is used, the way back, a button that drops the filter.
    if (echo < 0) {
      setTold([])
      setTyped(value)
    }
  }
  const rested = useDebounced(typed, TYPED_MS)
  useEffect(() => {
    if (rested !== typed || typed === value || told.includes(typed)) return
    setTold((before) => [...before, typed])
    onRest(typed)
  }, [rested, typed, value, told, onRest])
  return (
    <input
      ref={ref}
      type="search"
      className={`${button.field} ${className}`}
      placeholder={placeholder}
      aria-label={label}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}
