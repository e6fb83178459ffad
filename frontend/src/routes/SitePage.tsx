import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Fragment } from 'react'
import { FILE_SYSTEM_NAMES } from '../analysis/names'
import { ApiError } from '../api/client'
import { documentsQuery, rulesQuery, siteQuery } from '../api/queries'
import type { RuleView, Site } from '../api/types'
import { count, exactly, format, plural } from '../format'
import { Command } from '../ui/Command'
import { Cite } from '../ui/cite/Cite'
import { DataTable } from '../ui/DataTable'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import { RuleLink } from '../ui/RuleLink'
import { Scroll } from '../ui/Scroll'
import shell from '../ui/Shell.module.css'
import table from '../ui/Table.module.css'
import { NotFound } from './NotFound'
import css from './Rules.module.css'

const route = getRouteApi('/sites/$siteId')
const STRIPING = {
  yes: 'files may be striped by hand',
  discouraged: 'striping by hand is discouraged',
  impossible: 'striping means nothing here',
} as const

export function SitePage() {
  const { siteId } = route.useParams()
  const query = useQuery(siteQuery(siteId))
  const rules = useQuery(rulesQuery)
  if (query.error instanceof ApiError && query.error.status === 404)
    return <NotFound what={`site called ${siteId}`} />
  return (
    <div className={shell.wrap}>
      <title>{`${query.data?.title ?? siteId} · IOtriage`}</title>
      {query.error ? (
        <QueryProblem query={query} what="The site" />
      ) : query.isPending ? (
        <Skeleton height={420} />
      ) : (
        <Profile site={query.data} rules={rules.data ?? []} />
      )}
    </div>
  )
}

type FileSystem = Site['file_systems'][number]
type StripeRule = Site['stripe_rules'][number]
type Override = Site['thresholds'][number]

/** The pattern of a mount point as a path: "^/scratch/[^/]+/iops(/|$)" is "/scratch/…/iops". */
const pathOf = (mount: string): string =>
  mount.replace(/^\^/, '').replace('(/|$)', '').replaceAll('[^/]+', '…').replaceAll('[0-9]', '…')

function By({ source }: { source: NonNullable<FileSystem['source']> }) {
  const documents = useQuery(documentsQuery)
  const found = documents.data?.find(({ document }) => document.key === source.document)?.document
  const of = found && { ...found, read_on: source.retrieved }
  return [source.section, ...source.also].map((section) => (
    <Fragment key={section}>
      <Cite document={source.document} section={section} of={of} says={source.says} />{' '}
    </Fragment>
  ))
}

const GIGABYTES = (bytes: number) => `${count(bytes / 1e9)}\u202fGB/s`

/** What the file system gives at most, and what its users are asked not to exceed. */
function limitsOf(fs: FileSystem): string[] {
  const write = fs.peak_write_bandwidth
  const read = fs.peak_read_bandwidth
  return [
    write !== null && write === read ? `${GIGABYTES(write)} written or read` : null,
    write !== null && write !== read ? `${GIGABYTES(write)} written` : null,
    read !== null && write !== read ? `${GIGABYTES(read)} read` : null,
    fs.ost_bandwidth !== null ? `${GIGABYTES(fs.ost_bandwidth)} an OST` : null,
    fs.most_stripes !== null ? plural(fs.most_stripes, 'stripe') : null,
    fs.file_creates_per_s !== null ? `${count(fs.file_creates_per_s)} file creates a second` : null,
    fs.block_size_bytes !== null ? `blocks of ${exactly(fs.block_size_bytes, 'B')}` : null,
  ].filter((said) => said !== null)
}

function FileSystems({ found }: { found: readonly FileSystem[] }) {
  return (
    <section aria-label="File systems">
      <h2>File systems</h2>
      {found.length === 0 ? (
        <p className="soft">None is named: what the log says of the file system is used.</p>
      ) : (
        <Scroll label="What is known of each">
          <DataTable<FileSystem>
            rows={found}
            keyOf={(fs) => fs.id}
            columns={[
              {
                name: 'file system',
                cell: (fs) => (
                  <>
                    {fs.title}
                    <div className="mono small muted">{fs.mounts.map(pathOf).join(', ')}</div>
                  </>
                ),
              },
              { name: 'kind', cell: (fs) => FILE_SYSTEM_NAMES[fs.kind] },
              { name: 'OSTs', number: true, cell: (fs) => fs.osts ?? <Missing>no source</Missing> },
              {
                name: 'default stripes',
                number: true,
                cell: (fs) => (
                  <>
                    {fs.default_stripe_count ?? <Missing>no source</Missing>}
                    {fs.default_stripe_size_bytes !== null &&
                      ` × ${exactly(fs.default_stripe_size_bytes, 'B')}`}
                    {fs.default_layout === 'progressive' && ' progressive'}
                  </>
                ),
              },
              { name: 'at most', cell: (fs) => limitsOf(fs).join('; ') || <Missing>no source</Missing> },
              {
                name: 'striping',
                className: `soft ${css.says}`,
                cell: (fs) => (
                  <>
                    {STRIPING[fs.manual_striping]}
                    {fs.data_sieving === 'wanted' && '; data sieving is wanted'}
                    {fs.note && <div className="small">{fs.note}</div>}
                  </>
                ),
              },
              { name: 'what says so', cell: (fs) => fs.source && <By source={fs.source} /> },
            ]}
          />
        </Scroll>
      )}
    </section>
  )
}

const UNITS = { 'MiB/s': 2 ** 20, 'GiB/s': 2 ** 30, 'MB/s': 1e6, 'GB/s': 1e9 } as const

type Rates = Site['rates'][number]
type Statistic = readonly [word: string, field: Exclude<keyof Rates['rows'][number], 'processes'>]

function statisticsOf({ statistic }: Rates): readonly Statistic[] {
  if (statistic === 'range')
    return [
      ['least', 'minimum'],
      ['most', 'maximum'],
    ]
  if (statistic !== 'quartiles') return [[statistic, 'rate']]
  return [
    ['lower quartile', 'lower_quartile'],
    ['median', 'rate'],
    ['upper quartile', 'upper_quartile'],
    ['maximum', 'maximum'],
  ]
}

function DocumentedRates({ site }: { site: Site }) {
  return (
    <section aria-label="Documented bandwidths">
      <h2>What its documents measured</h2>
      {site.rates.map((rates) => (
        <div key={rates.id} className={css.setting}>
          <p>
            {rates.title}: {rates.direction}, {rates.statistic}, in {rates.unit}; measured {rates.measured}.{' '}
            {rates.settings && `With ${rates.settings}. `}
            <By source={rates.source} />
          </p>
          <Scroll label={rates.title} className={rates.rows.length < 3 ? css.few : ''}>
            <RatesTable rates={rates} />
          </Scroll>
        </div>
      ))}
    </section>
  )
}

/** Process counts stand side by side, as the documents have them; few of them below one another, which is the wider. */
function RatesTable({ rates }: { rates: Rates }) {
  const { rows, unit } = rates
  const statistics = statisticsOf(rates)
  const said = (value: number | null) => (value === null ? null : count(value / UNITS[unit]))
  const few = rows.length < statistics.length
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">processes</th>
          {few
            ? statistics.map(([word]) => (
                <th key={word} scope="col" className="num">
                  {word}
                </th>
              ))
            : rows.map(({ processes }) => (
                <th key={processes} scope="col" className="num">
                  {count(processes)}
                </th>
              ))}
        </tr>
      </thead>
      <tbody>
        {few
          ? rows.map((row) => (
              <tr key={row.processes}>
                <th scope="row">{count(row.processes)}</th>
                {statistics.map(([word, field]) => (
                  <td key={word} className="num">
                    {said(row[field])}
                  </td>
                ))}
              </tr>
            ))
          : statistics.map(([word, field]) => (
              <tr key={word}>
                <th scope="row">{word}</th>
                {rows.map((row) => (
                  <td key={row.processes} className="num">
                    {said(row[field])}
                  </td>
                ))}
              </tr>
            ))}
      </tbody>
    </table>
  )
}

/** As the document has it: centres give sizes of files in GB or in GiB. */
function fileSize(bytes: number): string {
  if (bytes > 0 && bytes % 1e12 === 0) return `${count(bytes / 1e12)}\u202fTB`
  if (bytes > 0 && bytes % 1e9 === 0) return `${count(bytes / 1e9)}\u202fGB`
  return format(bytes, 'B')
}

function StripeRules({ site }: { site: Site }) {
  const titles = new Map(site.file_systems.map((fs) => [fs.id, fs.title]))
  return (
    <section aria-label="Stripes of shared files">
      <h2>Stripes it gives a shared file</h2>
      <Scroll label="Stripes it gives a shared file">
        <DataTable<StripeRule>
          rows={site.stripe_rules}
          keyOf={(rule) => `${rule.file_systems.join()}${rule.from_bytes}`}
          columns={[
            {
              name: 'file system',
              cell: (rule) => rule.file_systems.map((id) => titles.get(id) ?? id).join(', '),
            },
            {
              name: 'size of the file',
              cell: (rule) =>
                rule.to_bytes === null
                  ? `from ${fileSize(rule.from_bytes)}`
                  : `${fileSize(rule.from_bytes)} to ${fileSize(rule.to_bytes)}`,
            },
            {
              name: 'stripes',
              number: true,
              cell: (rule) => (
                <>
                  {rule.stripe_count < 0 ? 'all OSTs' : rule.stripe_count}
                  {rule.stripe_size_bytes !== null && ` × ${exactly(rule.stripe_size_bytes, 'B')}`}
                  {rule.pool && `, pool ${rule.pool}`}
                </>
              ),
            },
            { name: 'what says so', cell: (rule) => <By source={rule.source} /> },
          ]}
        />
      </Scroll>
    </section>
  )
}

function Thresholds({ set, rules }: { set: readonly Override[]; rules: readonly RuleView[] }) {
  const known = new Map(
    rules.flatMap((rule) =>
      rule.thresholds.map((t) => {
        const inForce = { ...t, rule: rule.id, value: t.default, site_says: null, moved_from: null }
        return [t.id, inForce] as const
      }),
    ),
  )
  return (
    <section aria-label="Thresholds">
      <h2>Thresholds it sets</h2>
      {set.length === 0 ? (
        <p className="soft">None: the rules' own numbers hold.</p>
      ) : (
        <Scroll label="Thresholds it sets">
          <DataTable<Override>
            rows={set}
            keyOf={(override) => override.threshold}
            columns={[
              {
                name: 'threshold',
                cell: ({ threshold }) => {
                  const t = known.get(threshold)
                  return t ? (
                    <RuleLink rule={t.rule} hash="thresholds">
                      {t.title}
                    </RuleLink>
                  ) : (
                    <span className="mono">{threshold}</span>
                  )
                },
              },
              {
                name: 'rule',
                number: true,
                className: 'muted',
                cell: ({ threshold }) => {
                  const t = known.get(threshold)
                  return t && exactly(t.default, t.unit)
                },
              },
              {
                name: 'here',
                number: true,
                cell: ({ threshold, value }) => exactly(value, known.get(threshold)?.unit ?? '1'),
              },
              { name: 'why', className: `soft ${css.says}`, cell: (override) => override.why },
              { name: 'what says so', cell: (override) => <By source={override.source} /> },
            ]}
          />
        </Scroll>
      )}
    </section>
  )
}

function Profile({ site, rules }: { site: Site; rules: readonly RuleView[] }) {
  return (
    <article className={css.article}>
      <h1>{site.title}</h1>
      <p className={css.lead}>
        {site.status === 'retired' ? 'A retired system: kept for its logs. ' : ''}
        What is known of its file systems, and where its documents set other numbers.
      </p>
      <div className={css.meta}>
        <span className="mono">{site.id}</span>
        <span>profile {site.version}</span>
        <span>checked against its documents {site.checked}</span>
        {site.url && (
          <a href={site.url} rel="noreferrer">
            its own pages
          </a>
        )}
      </div>
      <FileSystems found={site.file_systems} />
      {site.rates.length > 0 && <DocumentedRates site={site} />}
      {site.stripe_rules.length > 0 && <StripeRules site={site} />}
      <Thresholds set={site.thresholds} rules={rules} />
      {site.environment.length > 0 && (
        <section aria-label="Settings it recommends">
          <h2>Settings its documents recommend</h2>
          {site.environment.map((advice) => (
            <div key={advice.text} className={css.setting}>
              <p>
                {advice.text} <By source={advice.source} />
              </p>
              <Command small text={advice.lines.join('\n')} />
            </div>
          ))}
        </section>
      )}
      {site.notes.length > 0 && (
        <section aria-label="Notes">
          <h2>Notes</h2>
          <ul className={css.bullets}>
            {site.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
    </article>
  )
}
