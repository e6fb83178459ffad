import { useId } from 'react'
import button from '../ui/Button.module.css'
import css from './Choice.module.css'

/** One of a few, with its name above. */
export function Choice<T extends string>({
  name,
  value,
  options,
  onChange,
}: {
  name: string
  value: T
  options: readonly (readonly [T, string])[]
  onChange: (value: T) => void
}) {
  const id = useId()
  if (options.length < 2) return null
  return (
    <div className={css.choice}>
      <label htmlFor={id}>{name}</label>
      <select
        id={id}
        className={button.select}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([word]) => word === event.target.value)
          if (chosen) onChange(chosen[0])
        }}
      >
        {options.map(([word, title]) => (
          <option key={word} value={word}>
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}
