import button from '../ui/Button.module.css'

const CHOICES = [1, 7, 30, 90, 366] as const

/** How long something works. */
export function LifetimeSelect({ value, onChange }: { value: number; onChange: (days: number) => void }) {
  return (
    <label>
      Works for
      <select
        className={button.select}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
      >
        {CHOICES.map((days) => (
          <option key={days} value={days}>
            {days === 1 ? '1 day' : `${days} days`}
          </option>
        ))}
      </select>
    </label>
  )
}

/** "2026-11-22" */
export const day = (moment: string): string => moment.slice(0, 10)
