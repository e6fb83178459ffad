import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Finding } from '../analysis/caseDocument'
import { validateCaseSearch, withOpen } from '../analysis/search'
import type { FileDetail } from '../api/types'
import { CounterFilter } from '../evidence/CounterFilter'
import { EvidenceLink, placeOf } from '../evidence/EvidenceLink'
import { meaningOf } from '../evidence/meaning'
import { useCase } from '../findings/CaseContext'
import { keyOf, sentenceOf } from '../findings/keys'
import { baseName, count, exactly, plural } from '../format'
import { printable } from '../printable'
import { DOT } from '../ui/Dotted'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { Panel } from '../ui/Panel'
import { PathText } from '../ui/PathText'
import { QueryProblem } from '../ui/QueryProblem'
import { markOf, SeverityMark } from '../ui/Severity'
import table from '../ui/Table.module.css'
import { HEADS } from './columns'
import { FileCell } from './FileCells'
import css from './FileDetail.module.css'
import { fileQuery } from './queries'

/** One file: its figures, the findings it is part of, layout, access sizes, and every counter of it. */
export function FileDetailPanel({ path, onClose }: { path: string; onClose: () => void }) {
  const { caseId } = useCase()
  const query = useQuery(fileQuery(caseId, path))
  const name = baseName(path)
  return (
    <Panel
      title={printable(name)}
      about={
        <bdi className={`mono ${css.path}`} dir="ltr">
          <PathText path={path} />
        </bdi>
      }
      onClose={onClose}
    >
      {query.error ? (
        <QueryProblem query={query} what="The file" />
      ) : query.data ? (
        <Detail file={query.data} />
      ) : (
        <Skeleton height={320} />
      )}
    </Panel>
  )
}

function Detail({ file }: { file: FileDetail }) {
  return (
    <div className={css.detail}>
      {file.rows.map((row, run) => (
        <section key={`${row.group}${run.toString()}`} aria-label="Figures">
          {file.rows.length > 1 && (
            <h3>
              Run {run + 1} of {file.rows.length} that used it
            </h3>
          )}
          <dl className={css.figures}>
            {HEADS.slice(1).map(({ column, name, title, number }) => (
              <div key={column}>
                <dt title={title}>{name}</dt>
                <dd className={number ? 'num' : ''}>
                  <FileCell file={row} column={column} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Findings file={file} />
      <Stripes file={file} />
      <Sizes file={file} />
      <Mentions file={file} />
      <Counters file={file} />
    </div>
  )
}

/** The findings on the group that the file is in, those first that hold. */
function Findings({ file }: { file: FileDetail }) {
  const { caseId, document } = useCase()
  const groups = new Set(file.rows.map((row) => row.group))
  const mine = document.findings.filter(
    (f) =>
      f.verdict === 'triggered' &&
      (groups.has(f.scope.id) || f.where.some((w) => w.at.kind === 'counter' && w.at.file === file.path)),
  )
  return (
    <section aria-labelledby="of-file-findings">
      <h3 id="of-file-findings">Findings</h3>
      {mine.length === 0 ? (
        <p className="muted">No finding of this case is about the file or the files like it.</p>
      ) : (
        <ul className={css.findings}>
          {mine.map((finding: Finding) => (
            <li key={keyOf(finding)}>
              <SeverityMark mark={markOf(finding)} label />
              <Link
                to="/cases/$caseId"
                params={{ caseId }}
                search={(old) => withOpen(validateCaseSearch(old as Record<string, unknown>), keyOf(finding))}
              >
                {sentenceOf(finding)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Stripes({ file }: { file: FileDetail }) {
  if (file.stripes.length === 0) return null
  return (
    <section aria-labelledby="of-file-stripes">
      <h3 id="of-file-stripes">Layout on Lustre</h3>
      {file.stripes.map((layout) => (
        <p key={`${layout.source} ${layout.record}`}>
          {layout.stripe_count === null ? 'stripe count not recorded' : plural(layout.stripe_count, 'stripe')}
          {layout.stripe_size_bytes !== null && ` of ${exactly(layout.stripe_size_bytes, 'B')}`}
          {layout.composite && ', the main component of a composite layout'}
          {layout.pool && `, pool ${layout.pool}`}
          {layout.osts.length > 0 && (
            <>
              , on {layout.osts.length === 1 ? 'OST' : 'OSTs'}{' '}
              <span className="mono">{layout.osts.join(', ')}</span>
            </>
          )}
          {'. '}
          <EvidenceLink at={{ source: layout.source, module: 'LUSTRE', record: layout.record }}>
            In the evidence
          </EvidenceLink>
        </p>
      ))}
    </section>
  )
}

function Sizes({ file }: { file: FileDetail }) {
  const first = file.sizes[0]
  if (!first) return null
  const whole = file.sizes.filter((s) => (s.exactly_1_mib ?? 0) > 0)
  const most = Math.max(...file.sizes.flatMap((s) => s.bins.map((bin) => bin.count)))
  const used = first.bins.flatMap((_, i) => (file.sizes.some((s) => (s.bins[i]?.count ?? 0) > 0) ? [i] : []))
  return (
    <section aria-labelledby="of-file-sizes">
      <h3 id="of-file-sizes">How large are its accesses?</h3>
      <table className={`${table.table} ${css.sizes}`} aria-labelledby="of-file-sizes">
        <thead>
          <tr>
            <th scope="col">size</th>
            {file.sizes.map((s) => (
              <th key={`${s.layer} ${s.direction}`} scope="col">
                {s.layer} {s.direction}s
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {used.map((i) => (
            <tr key={first.bins[i]?.low_bytes}>
              <th scope="row" className="nowrap">
                {range(first.bins[i]?.low_bytes ?? 0, first.bins[i]?.high_bytes ?? null)}
              </th>
              {file.sizes.map((s) => {
                const calls = s.bins[i]?.count ?? 0
                return (
                  <td key={`${s.layer} ${s.direction}`}>
                    <span
                      className={`${css.bar} ${s.direction === 'read' ? css.read : css.write}`}
                      style={{ width: `${Math.max(calls > 0 ? 1 : 0, (60 * calls) / most)}%` }}
                    />
                    {count(calls)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {whole.map((s) => (
        <p key={`${s.layer} ${s.direction}`} className="muted">
          {count(s.exactly_1_mib ?? 0)} of its {s.layer} {s.direction}s are of exactly 1 MiB, which the range
          up to 1 MiB includes.
        </p>
      ))}
    </section>
  )
}

const range = (low: number, high: number | null): string =>
  high === null
    ? `${exactly(low - 1, 'B')} and more`
    : `${low === 0 ? '0' : exactly(low - 1, 'B')} – ${exactly(high, 'B')}`

function Mentions({ file }: { file: FileDetail }) {
  if (file.mentions.length === 0) return null
  return (
    <section aria-labelledby="of-file-texts">
      <h3 id="of-file-texts">Texts about it</h3>
      <ul>
        {file.mentions.map(({ title, where }) => (
          <li key={JSON.stringify(where)}>
            <EvidenceLink at={placeOf(where)}>{title}</EvidenceLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Counters({ file }: { file: FileDetail }) {
  const [words, setWords] = useState('')
  const [zeros, setZeros] = useState(false)
  const wanted = words.toUpperCase().split(/\s+/)
  const shows = (name: string, value: unknown) =>
    wanted.every((word) => name.includes(word)) && (zeros || (value !== 0 && value !== null))
  if (file.modules.length === 0) return null
  return (
    <section aria-labelledby="of-file-counters">
      <h3 id="of-file-counters">Counters</h3>
      <CounterFilter words={words} onWords={setWords} zeros={zeros} onZeros={setZeros} />
      {file.modules.map((module) => (
        <table key={`${module.source} ${module.module}`} className={`${table.table} ${css.counters}`}>
          <caption>
            {module.module}
            <span className="muted">
              {DOT}
              {module.records > 1
                ? `${plural(module.records, 'record')}, added up`
                : module.rank === -1
                  ? 'one record of all ranks'
                  : `rank ${module.rank}`}
              {module.partial && `${DOT}the log lost records of this module`}
              {DOT}
            </span>
            <EvidenceLink
              at={{
                source: module.source,
                module: module.module,
                ...(module.record !== null ? { record: module.record } : { of: file.path }),
              }}
            >
              in the evidence
            </EvidenceLink>
          </caption>
          <tbody>
            {module.counters
              .filter((c) => shows(c.name, c.value))
              .map((c) => (
                <tr key={c.name}>
                  <th scope="row" title={meaningOf(c.name)}>
                    {c.name}
                  </th>
                  <td className="num mono">
                    {c.value === null ? <Missing>not available</Missing> : String(c.value)}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      ))}
    </section>
  )
}
