import type { ReactNode } from 'react'
import type { FilePage } from '../api/types'
import { count } from '../format'
import button from '../ui/Button.module.css'
import { TypedField } from '../ui/typed/TypedField'
import css from './Files.module.css'
import { type FilesSearch, MOVED, type Moved } from './search'

/** Which files are listed, and whether like ones stand together. */
export function FileFilter({
  search,
  page,
  onChange,
  csv,
}: {
  search: FilesSearch
  page: FilePage | undefined
  onChange: (set: FilesSearch, drop?: readonly (keyof FilesSearch)[]) => void
  csv: ReactNode
}) {
  return (
    <div className={css.tools}>
      <TypedField
        label="Find files by words of their path, pattern or layers"
        placeholder="words of the path"
        value={search.q ?? ''}
        onRest={(q) => onChange({ q })}
      />
      <Choice
        name="Pattern"
        any="any pattern"
        value={search.pattern}
        options={page?.patterns.map((p) => ({ value: p.name, words: `${p.name} (${count(p.files)})` })) ?? []}
        onChoose={(pattern) => onChange({ pattern })}
      />
      <Choice
        name="Layer"
        any="any layer"
        value={search.layer}
        options={page?.layers.map((l) => ({ value: l.name, words: `${l.name} (${count(l.files)})` })) ?? []}
        onChoose={(layer) => onChange({ layer })}
      />
      <Choice
        name="Moved"
        any="read or written"
        value={search.moved}
        options={MOVED}
        onChoose={(moved) => (moved === '' ? onChange({}, ['moved']) : onChange({ moved: moved as Moved }))}
      />
      <label>
        <input
          type="checkbox"
          checked={search.grouped !== 'no'}
          onChange={(event) =>
            event.target.checked ? onChange({}, ['grouped']) : onChange({ grouped: 'no' })
          }
        />
        fold like names
      </label>
      {csv}
    </div>
  )
}

function Choice({
  name,
  any,
  value,
  options,
  onChoose,
}: {
  name: string
  any: string
  value: string | undefined
  options: readonly { readonly value: string; readonly words: string }[]
  onChoose: (value: string) => void
}) {
  return (
    <select
      className={button.select}
      aria-label={name}
      value={value ?? ''}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{any}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.words}
        </option>
      ))}
    </select>
  )
}
