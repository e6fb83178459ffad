import { useId, useState } from 'react'
import { baseName } from '../../format'
import button from '../../ui/Button.module.css'
import type { TraceSummary } from '../requests'
import css from '../selected/Panels.module.css'
import { find } from './find'

const OFFERED = 60

/** Goes to a rank, an OST, a time or a file that somebody names. */
export function FindField({
  summary,
  onFound,
}: {
  summary: TraceSummary
  onFound: (found: NonNullable<ReturnType<typeof find>>) => void
}) {
  const id = useId()
  const [missed, setMissed] = useState<string | null>(null)
  const offered = [
    ...summary.files.slice(0, OFFERED).map((file) => baseName(file.path)),
    ...summary.osts.slice(0, OFFERED).map((one) => `OST ${one.ost}`),
  ]
  return (
    <form
      className={`${css.find} screen`}
      onSubmit={(event) => {
        event.preventDefault()
        const words = String(new FormData(event.currentTarget).get('find') ?? '')
        const found = find(words, summary)
        setMissed(found || words.trim() === '' ? null : words)
        if (found) onFound(found)
      }}
    >
      <label htmlFor={id}>Find</label>
      <input
        id={id}
        name="find"
        type="search"
        className={button.field}
        list={`${id}names`}
        placeholder="file, rank 12, 40 s"
        autoComplete="off"
        onChange={() => setMissed(null)}
      />
      <datalist id={`${id}names`}>
        {[...new Set(offered)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <span className={missed === null ? 'vh' : 'small'} role="status">
        {missed !== null && `Nothing in this log is called “${missed}”.`}
      </span>
    </form>
  )
}
