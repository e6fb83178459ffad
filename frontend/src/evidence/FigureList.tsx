import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { boundsOfFigure } from '../analysis/slowest'
import { groupName } from '../charts/frame/linkName'
import { useCase } from '../findings/CaseContext'
import { FigurePlaces } from '../findings/FigurePlaces'
import { asSentence, count, plural } from '../format'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { Num } from '../ui/Num'
import { QueryProblem } from '../ui/QueryProblem'
import table from '../ui/Table.module.css'
import { TypedField } from '../ui/typed/TypedField'
import css from './Evidence.module.css'
import { type Figure, figuresOf, found, isKnown, unnamed } from './figures'
import { titlesQuery } from './queries'
import type { EvidenceSearch } from './search'

/** More than these nobody reads: another word finds them. */
const MOST = 100

/** All that was derived from the sources, by any word that one has for it, with its value or why there is none. */
export function FigureList({
  search,
  onChange,
}: {
  search: EvidenceSearch
  onChange: (set: EvidenceSearch, drop?: readonly (keyof EvidenceSearch)[]) => void
}) {
  const { caseId, document } = useCase()
  const titles = useQuery(titlesQuery(caseId))
  const all = useMemo(() => figuresOf(document, titles.data ?? {}), [document, titles.data])
  const words = search.figure ?? ''
  const missing = search.missing === 'yes'
  const among = useMemo(() => (missing ? all : all.filter(isKnown)), [all, missing])
  const rows = useMemo(() => found(among, words), [among, words])
  const otherwise = useMemo(() => unnamed(among, words), [among, words])
  if (titles.error) return <QueryProblem query={titles} what="The list of figures" />
  if (!titles.data) return <Skeleton height={900} />
  return (
    <div>
      <div className={css.tools}>
        <TypedField
          label="Find figures by words of what they are"
          placeholder="speed, opens, small writes …"
          value={words}
          onRest={(figure) => onChange({ figure })}
        />
        <label>
          <input
            type="checkbox"
            checked={missing}
            onChange={(event) =>
              event.target.checked ? onChange({ missing: 'yes' }) : onChange({}, ['missing'])
            }
          />
          those that are not known, too
        </label>
      </div>
      <p className={css.found} role="status">
        {summary(rows.length, among.length, missing)}
        {otherwise.map(({ word, by }) => ` For “${word}”: ${by.join(', ')}.`)}
      </p>
      {rows.length > 0 && (
        <table className={`${table.table} ${css.figures}`} aria-label="Figures">
          <thead>
            <tr>
              <th scope="col">figure</th>
              <th scope="col" className="num">
                value
              </th>
              <th scope="col">where from</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST).map((figure) => (
              <Row key={figure.key} figure={figure} />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > MOST && (
        <p className="muted small">
          {count(rows.length - MOST)} more are found by these words: another word leaves fewer.
        </p>
      )}
    </div>
  )
}

function summary(rows: number, among: number, missing: boolean): string {
  const which = missing ? '' : ' that are known'
  if (rows === among) return `${plural(among, 'figure')}${which}.`
  return rows === 0
    ? `None of the ${plural(among, 'figure')}${which} is called so.`
    : `${count(rows)} of ${plural(among, 'figure')}${which}.`
}

function Row({ figure: { metric, files } }: { figure: Figure }) {
  const { document } = useCase()
  const [before, behind] = boundsOfFigure(metric.id, metric, document, files === null)
  return (
    <tr>
      <th scope="row">
        {metric.title}
        {files !== null && <span className="muted"> of {groupName(files)}</span>}
        <small className={`mono ${css.under}`}>{metric.id}</small>
      </th>
      <td className={typeof metric.value === 'string' ? `num ${css.word}` : 'num'}>
        {metric.value === null ? (
          <Missing />
        ) : (
          <>
            {before !== '' && <small className="muted">{before}</small>}
            <Num value={metric.value} unit={metric.unit} />
            {behind !== '' && <small className={css.under}>{behind.trim()}</small>}
            {metric.confidence === 'inferred' && <small className={css.under}>inferred</small>}
          </>
        )}
      </td>
      <td className="soft">
        {metric.value === null ? asSentence(metric.reason ?? '') : <FigurePlaces places={metric.where} />}
      </td>
    </tr>
  )
}
