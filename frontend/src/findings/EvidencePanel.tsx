import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { sourceName } from '../analysis/caseDocument'
import { type Given, linesQuery, recordQuery } from '../api/queries'
import type { EvidenceRecord, Unit, Where } from '../api/types'
import { CounterFilter } from '../evidence/CounterFilter'
import { EvidenceLink, placeOf } from '../evidence/EvidenceLink'
import { format, plural } from '../format'
import button from '../ui/Button.module.css'
import { DOT } from '../ui/Dotted'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { Panel } from '../ui/Panel'
import { QueryProblem } from '../ui/QueryProblem'
import table from '../ui/Table.module.css'
import { useCase } from './CaseContext'
import css from './EvidencePanel.module.css'

const CONTEXT = 14
/** The server gives at most 400 lines at a time. */
const MOST = 400

/** The place of a number with its surroundings: lines of a text, or the counters of a record. */
export function EvidencePanel({ where, onClose }: { where: Where; onClose: () => void }) {
  const { document } = useCase()
  const source = document.sources[where.source]
  const name = sourceName(document, where.source)
  const given = source ?? { given: where.source, member: null }
  const { at } = where
  if (at.kind === 'lines') {
    return (
      <Panel title={name} about={source?.title} onClose={onClose}>
        <p className={css.whole}>
          <EvidenceLink at={placeOf(where)} onGo={onClose}>
            Open in the evidence, with the whole text
          </EvidenceLink>
        </p>
        <Lines source={given} first={at.first} last={at.last} />
      </Panel>
    )
  }
  const about = [
    name,
    at.record === null
      ? 'summed over all records'
      : at.rank === -1
        ? 'shared by all ranks'
        : at.rank !== null && `rank ${at.rank}`,
  ]
  return (
    <Panel
      title={`${at.module} record${at.file ? `: ${at.file}` : at.record === null ? 's, totals' : ''}`}
      about={about.filter(Boolean).join(DOT)}
      onClose={onClose}
    >
      <p className={css.whole}>
        <EvidenceLink at={placeOf(where)} onGo={onClose}>
          Open in the evidence, with every record
        </EvidenceLink>
      </p>
      <Counters source={given} module={at.module} counter={at.counter} record={at.record} rank={at.rank} />
    </Panel>
  )
}

function Lines({ source, first, last }: { source: Given; first: number; last: number }) {
  const { caseId } = useCase()
  const [around, setAround] = useState(CONTEXT)
  const from = Math.max(1, first - around)
  const to = Math.min(last + around, from + MOST - 1)
  const query = useQuery(linesQuery(caseId, source, from, to))
  const hit = useScrollTo<HTMLLIElement>(query.data)
  return (
    <Waiting query={query}>
      {query.data && (
        <>
          <section
            className={css.log}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
            tabIndex={0}
            aria-label={`Lines ${from} to ${to}; lines ${first} to ${last} are marked`}
          >
            <ol>
              {query.data.lines.map((line) => {
                const marked = line.number >= first && line.number <= last
                return (
                  <li
                    key={line.number}
                    className={marked ? css.hit : ''}
                    ref={line.number === first ? hit : undefined}
                  >
                    <i>{line.number}</i>
                    <span>
                      {marked ? (
                        <mark style={{ background: 'none', color: 'inherit' }}>{line.text || ' '}</mark>
                      ) : (
                        line.text || ' '
                      )}
                      {line.cut && <span className="muted"> … the line goes on</span>}
                    </span>
                  </li>
                )
              })}
            </ol>
          </section>
          <div className={css.more}>
            {(from > 1 || query.data.more) && to - from + 1 < MOST && (
              <button type="button" className={button.link} onClick={() => setAround(around * 4)}>
                More lines around
              </button>
            )}
          </div>
        </>
      )}
    </Waiting>
  )
}

function Counters({
  source,
  module,
  counter,
  record,
  rank,
}: {
  source: Given
  module: string
  counter: string
  record: string | null
  rank: number | null
}) {
  const { caseId } = useCase()
  const query = useQuery(recordQuery(caseId, source, module, record, rank))
  const [filter, setFilter] = useState('')
  const [zeros, setZeros] = useState(false)
  const hit = useScrollTo<HTMLTableRowElement>(query.data)
  const wanted = filter.toUpperCase()
  const data: EvidenceRecord | undefined = query.data
  const shown = data?.counters.filter(
    (c) => c.name === counter || (c.name.includes(wanted) && (zeros || wanted !== '' || c.value !== 0)),
  )
  return (
    <Waiting query={query}>
      {data && shown && (
        <>
          <CounterFilter words={filter} onWords={setFilter} zeros={zeros} onZeros={setZeros}>
            <span className="muted small">
              {shown.length} of {plural(data.counters.length, 'counter')}
              {data.record === null && `, summed over ${plural(data.rows, 'record')}`}
            </span>
          </CounterFilter>
          <table className={`${table.table} ${css.counters}`} aria-label="Counters">
            <thead>
              <tr>
                <th scope="col">counter</th>
                <th scope="col" className="num">
                  value
                </th>
                <th scope="col" className="num">
                  reads
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((c) => (
                <tr
                  key={c.name}
                  className={c.name === counter ? css.hit : ''}
                  ref={c.name === counter ? hit : undefined}
                >
                  <th scope="row">{c.name}</th>
                  <td className="num mono">
                    {c.value === null ? <Missing>not available</Missing> : String(c.value)}
                  </td>
                  <td className="num muted">{inUnit(c.value, c.unit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Waiting>
  )
}

const UNITS: readonly Unit[] = ['B', 'B/s', 's', 'calls', 'ranks', 'nodes', 'files', 'stripes', 'OSTs']

/** The value again in words, where a prefix or a unit makes it easier to read. */
function inUnit(value: number | string | null, unit: string | null): string {
  if (typeof value !== 'number' || unit === null) return ''
  if (unit === 'rank') return `rank ${value}`
  const known = UNITS.find((u) => u === unit)
  return known ? format(value, known) : unit === '1' ? '' : `${value} ${unit}`
}

function useScrollTo<E extends HTMLElement>(loaded: unknown) {
  const ref = useRef<E>(null)
  useEffect(() => {
    if (loaded) ref.current?.scrollIntoView?.({ block: 'center' })
  }, [loaded])
  return ref
}

function Waiting({
  query,
  children,
}: {
  query: { isPending: boolean; error: Error | null; refetch: () => unknown }
  children: ReactNode
}) {
  if (query.error) return <QueryProblem query={query} what="The evidence" />
  if (query.isPending) return <Skeleton height={280} />
  return children
}
