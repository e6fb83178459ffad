import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../access/queries'
import button from '../ui/Button.module.css'
import { colleaguesQuery } from './queries'

const NOBODY = ' nobody'

/** Gives something to a colleague, or to nobody. `value` is the owner now, `undefined` where it is of several. */
export function Owners({
  label,
  value,
  disabled = false,
  onChoose,
}: {
  label: string
  value: string | null | undefined
  disabled?: boolean
  onChoose: (owner: string | null) => void
}) {
  const me = useQuery(meQuery).data?.id ?? null
  const people = useQuery(colleaguesQuery).data ?? []
  // An owner may have come by a program, or be a colleague no longer.
  const strange = value && !people.some((one) => one.id === value) ? [{ id: value, name: value }] : []
  return (
    <select
      className={button.select}
      aria-label={label}
      value={value === undefined ? '' : (value ?? NOBODY)}
      disabled={disabled}
      onChange={({ target }) =>
        target.value !== '' && onChoose(target.value === NOBODY ? null : target.value)
      }
    >
      {value === undefined && <option value="">give to</option>}
      <option value={NOBODY}>nobody</option>
      {[...people, ...strange].map((one) => (
        <option key={one.id} value={one.id}>
          {one.id === me ? 'you' : one.name}
        </option>
      ))}
    </select>
  )
}
