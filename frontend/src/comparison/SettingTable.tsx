import { useState } from 'react'
import type { Comparison } from '../api/types'
import { plural, unbroken } from '../format'
import button from '../ui/Button.module.css'
import { Missing } from '../ui/Missing'
import { Scroll } from '../ui/Scroll'
import table from '../ui/Table.module.css'
import css from './Tables.module.css'

type Row = Comparison['settings'][number]

const KINDS: Readonly<Record<Row['kind'], string>> = {
  calls: 'how the I/O is done',
  hint: 'hint',
  striping: 'striping',
  placement: 'where the files are',
  environment: 'environment',
  library: 'library',
  argument: 'argument',
  program: 'program',
  processes: 'size of the job',
  work: 'amount',
  instrumentation: 'only says more',
}

/** Kinds whose settings are called what one writes to set them; others have a name in words. */
const WRITTEN: ReadonlySet<Row['kind']> = new Set(['hint', 'environment', 'argument'])

/** What was changed between the runs; the settings that are the same stand behind a button. */
export function SettingTable({ comparison }: { comparison: Comparison }) {
  const [all, setAll] = useState(false)
  const changed = comparison.settings.filter((row) => row.changed)
  const rest = comparison.settings.length - changed.length
  const shown = all ? comparison.settings : changed
  return (
    <>
      {shown.length > 0 ? (
        <Scroll label="Settings of the runs">
          <table className={`${table.table} ${css.settings}`}>
            <caption className="vh">Settings of the runs</caption>
            <thead>
              <tr>
                <th scope="col">setting</th>
                {comparison.runs.map((run) => (
                  <th scope="col" key={run.label}>
                    {run.label}
                  </th>
                ))}
                <th scope="col">what it is</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row, at) => (
                <tr key={`${row.kind} ${row.name}`}>
                  <th scope="row" className={WRITTEN.has(row.kind) ? 'mono' : undefined}>
                    {row.name}
                  </th>
                  {row.values.map((value, i) => (
                    <td key={comparison.runs[i]?.label} className={isNew(row, i) ? css.changed : ''}>
                      {value.value === null ? (
                        <Missing reason="No source of this run states it.">not known</Missing>
                      ) : (
                        unbroken(value.value)
                      )}
                    </td>
                  ))}
                  {meaningOf(row) !== meaningOf(shown[at - 1]) && (
                    <td className={`muted ${css.meaning}`} rowSpan={alikeFrom(shown, at)}>
                      {meaningOf(row)}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      ) : (
        <p className="muted">No setting that the sources of both state differs.</p>
      )}
      {rest > 0 && (
        <p className={css.more}>
          <button type="button" className={button.link} aria-expanded={all} onClick={() => setAll(!all)}>
            {all
              ? 'Only what was changed'
              : `${plural(rest, 'setting is', 'settings are')} the same, or known of one run only`}
          </button>
        </p>
      )}
    </>
  )
}

const meaningOf = (row: Row | undefined) => row && (row.meaning ?? KINDS[row.kind])

/** Rows from here on that mean the same: it is said once for all of them. */
function alikeFrom(rows: readonly Row[], from: number): number {
  const others = rows.slice(from).findIndex((row) => meaningOf(row) !== meaningOf(rows[from]))
  return others < 0 ? rows.length - from : others
}

const isNew = (row: Row, index: number) =>
  row.changed &&
  index > 0 &&
  row.values[index]?.value !== null &&
  row.values[index]?.value !== row.values[0]?.value
