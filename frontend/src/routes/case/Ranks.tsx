import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { CaseDocument } from '../../analysis/caseDocument'
import { focusOf } from '../../analysis/focus'
import { NOTHING_USED, sawNothing } from '../../analysis/headline'
import { searchWith } from '../../analysis/search'
import { PlainTable, type TextTable } from '../../charts/frame/PlainTable'
import { BASES, busiestWords, layerInWords, slowestWords } from '../../charts/frame/words/rankWords'
import { littleToldApart } from '../../charts/ranks/rankUse'
import { useCase } from '../../findings/CaseContext'
import { count, format, orNotRecorded, plural, ratioInColumn } from '../../format'
import { allAlike, bytesOf, extremes, type RankLayer, type RankTable, secondsOf } from '../../ranks/columns'
import { ranksQuery } from '../../ranks/queries'
import { RankPlane } from '../../ranks/RankPlane'
import css from '../../ranks/Ranks.module.css'
import type { RanksSearch } from '../../ranks/search'
import { benchmarksAlone, OF_ALL_RANKS } from '../../sources/textEvidence'
import { Choice } from '../../timeline/Choice'
import { dxtWouldTrace, NOT_TRACED } from '../../timeline/traceable'
import { Command } from '../../ui/Command'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { Scroll } from '../../ui/Scroll'
import { Explained } from '../../ui/Term'
import { useStillOnPage } from '../../ui/useStillOnPage'

const route = getRouteApi('/cases/$caseId/ranks')
const SHOWN = 10

/** Every rank of the job: what it moved and how long it took, by number or most first. */
export function Ranks() {
  const { caseId } = useCase()
  const query = useQuery(ranksQuery(caseId))
  return (
    <div className={css.wrap}>
      <h2>Which ranks move the bytes, and which take the time?</h2>
      {query.isPending && <Skeleton height={320} />}
      {query.error && <QueryProblem query={query} what="The list of ranks" />}
      {query.data &&
        (query.data.layers.length > 0 ? <Known table={query.data} /> : <NotTold table={query.data} />)}
      {query.data && <Reduced table={query.data} />}
    </div>
  )
}

function Known({ table }: { table: RankTable }) {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/cases/$caseId/ranks' })
  const stillHere = useStillOnPage()
  const { document } = useCase()
  const focus = useMemo(() => focusOf(document), [document])
  const layer =
    table.layers.find((l) => l.layer === search.layer) ??
    table.layers.find((l) => l.layer === focus?.layer) ??
    carriesMost(table)
  const seconds = useMemo(() => (layer ? secondsOf(layer) : null), [layer])
  const bytes = useMemo(() => (layer ? bytesOf(layer) : new Float64Array()), [layer])
  if (!layer) return null
  const time = (search.of ?? focus?.of) === 'time' && seconds !== null
  const choose = (set: { [K in keyof RanksSearch]: RanksSearch[K] | undefined }) =>
    stillHere() &&
    navigate({
      search: (old) => searchWith(old, set),
      replace: true,
      resetScroll: false,
    })
  const node = (rank: number) => table.nodes[table.node_of[rank] ?? -1] ?? null
  const sorted = search.order === 'sorted'
  return (
    <>
      <p className={css.see}>
        <Explained>
          {[sentence(layer, table, document.account?.slowest?.rank ?? null), ofTheRest(document, table)]
            .filter(Boolean)
            .join(' ')}
        </Explained>
      </p>
      <div className={css.choices}>
        <Choice
          name="Layer"
          value={layer.layer}
          options={table.layers.map((l) => [l.layer, `${l.layer}, by ${BASES[l.basis]}`] as const)}
          onChange={(value) => choose({ layer: value })}
        />
        {seconds && (
          <Choice
            name="Show"
            value={time ? 'time' : 'bytes'}
            options={[
              ['bytes', 'bytes'],
              ['time', 'seconds in calls'],
            ]}
            onChange={(value) => choose({ of: value === 'time' ? 'time' : 'bytes' })}
          />
        )}
        <Choice
          name="Order"
          value={sorted ? 'sorted' : 'rank'}
          options={[
            ['rank', 'by rank'],
            ['sorted', 'most first'],
          ]}
          onChange={(value) => choose({ order: value === 'sorted' ? 'sorted' : undefined })}
        />
      </div>
      <RankPlane
        layer={layer}
        values={time ? (seconds ?? bytes) : bytes}
        time={time}
        sorted={sorted}
        node={node}
      />
      <p className={css.note}>{note(layer, table, seconds)}</p>
      <section aria-label="Extremes" className={css.tables}>
        {time && seconds && (
          <Extremes layer={layer} values={seconds} seconds={seconds} node={node} unit="s" />
        )}
        <Extremes layer={layer} values={bytes} seconds={seconds} node={node} unit="B" />
        {!time && seconds && (
          <Extremes layer={layer} values={seconds} seconds={seconds} node={node} unit="s" />
        )}
      </section>
    </>
  )
}

/** From the call to the disk the first that has as good as all the bytes: not the lines of a program's log. */
const carriesMost = ({ layers, use }: RankTable): RankLayer | undefined => {
  const moved = (layer: RankLayer) => use.series.find((one) => one.layer === layer.layer)?.total_bytes ?? 0
  const most = Math.max(...layers.map(moved))
  return layers.find((layer) => moved(layer) >= most / 2)
}

/** What no picture here shows: where ranks are told apart for a program's own lines alone, it looks like one rank's work. */
export function ofTheRest(
  { metrics }: Pick<CaseDocument, 'metrics'>,
  { use }: Pick<RankTable, 'use'>,
): string | null {
  const share = littleToldApart({ metrics }, use)
  return share !== null
    ? `That is ${format(share, 'share')} of the job's bytes: of the others no source tells the ranks apart.`
    : null
}

/** As the chart says it, and how much is moved in all. */
function sentence({ layer, bytes_read }: RankLayer, { use }: RankTable, slowest: number | null): string {
  const series = use.series.find((one) => one.layer === layer)
  if (!series) return `${plural(bytes_read.length, 'rank')} at ${layerInWords(layer)}.`
  const whole =
    series.active > 1 ? ` ${series.partial ? 'At least ' : ''}${format(series.total_bytes, 'B')} in all.` : ''
  const slow = slowestWords(series, slowest) || 'How long each rank took is not in this source.'
  return `At ${layerInWords(layer)}, ${busiestWords(series)}.${whole} ${slow}`
}

function note(layer: RankLayer, table: RankTable, seconds: Float64Array | null): string {
  const parts = [
    `By ${BASES[layer.basis]}; ${plural(layer.bytes_read.length, 'rank')}.`,
    'Where ranks are more than pixels, each column is the one of them with most: none is lost.',
    seconds !== null &&
      layer.basis === 'trace' &&
      "Seconds are the sum of a rank's calls; the trace has no metadata calls.",
    seconds === null &&
      layer.basis === 'heatmap' &&
      'A heatmap has bytes by rank and time, no duration of calls.',
    layer.partial && 'Records or calls are missing: these are lower bounds.',
    table.nodes.length === 0 && 'On which node each rank ran is not recorded.',
  ]
  return parts.filter(Boolean).join(' ')
}

function Extremes({
  layer,
  values,
  seconds,
  node,
  unit,
}: {
  layer: RankLayer
  values: Float64Array
  seconds: Float64Array | null
  node: (rank: number) => string | null
  unit: 'B' | 's'
}) {
  const { most, least, mean, none } = useMemo(() => extremes(values, SHOWN), [values])
  const shown = [...most, ...least]
  const nodes = shown.some((rank) => node(rank) !== null)
  const row = (rank: number) => [
    String(rank),
    ...(nodes ? [node(rank) ?? 'not recorded'] : []),
    format(layer.bytes_written[rank] ?? 0, 'B'),
    format(layer.bytes_read[rank] ?? 0, 'B'),
    seconds ? format(seconds[rank] ?? 0, 's') : 'not recorded',
    mean > 0 ? ratioInColumn((values[rank] ?? 0) / mean) : 'not known',
  ]
  const title = unit === 'B' ? 'Most bytes' : 'Longest in calls'
  const leastTitle = unit === 'B' ? 'Fewest bytes' : 'Shortest in calls'
  if (values.length > SHOWN && most[0] !== undefined && allAlike(values)) {
    const each = format(values[most[0]] ?? 0, unit)
    return (
      <div>
        <h3>{unit === 'B' ? 'Bytes' : 'Time in calls'}</h3>
        <p className={css.note}>
          All {plural(values.length, 'rank')} {unit === 'B' ? `move ${each} each.` : `spend ${each} each.`}
        </p>
      </div>
    )
  }
  const head = ['rank', ...(nodes ? ['node'] : []), 'written', 'read', 'in calls', 'of the mean']
  return (
    <>
      {most.length > 0 && <Titled title={title} data={{ head, rows: most.map(row) }} />}
      {least.length > 0 && <Titled title={leastTitle} data={{ head, rows: least.map(row) }} />}
      {none > SHOWN && (
        <div>
          <h3>{leastTitle}</h3>
          <p className={css.note}>
            {count(none)} of {plural(values.length, 'rank')}{' '}
            {unit === 'B'
              ? `move no bytes at ${layerInWords(layer.layer)}.`
              : `spend no time in calls at ${layerInWords(layer.layer)}.`}
          </p>
        </div>
      )}
    </>
  )
}

function NotTold({ table }: { table: RankTable }) {
  const { document } = useCase()
  if (document.job.nprocs === 1)
    return (
      <p className={css.see}>
        The job has one rank: all that is recorded is its own, and stands in the charts and with the files.
      </p>
    )
  if (sawNothing(document)) return <p className={css.see}>{NOTHING_USED}</p>
  if (benchmarksAlone(document)) return <p className={css.see}>{OF_ALL_RANKS}</p>
  return (
    <>
      <p className={css.see}>
        <Explained>
          {table.use.reduced.some(({ ranks }) => ranks === null)
            ? 'Darshan reduced the records of the files that all ranks opened: of these the slowest and the fastest rank are known, and the spread over all; the ranks between are not.'
            : 'No source tells the ranks apart.'}
        </Explained>
      </p>
      {dxtWouldTrace(document) ? (
        <>
          <p className={css.see}>
            Darshan from 3.4 on keeps every rank's bytes in its heatmap; a run with its trace has every rank's
            calls:
          </p>
          <Command small text="export DXT_ENABLE_IO_TRACE=1" />
        </>
      ) : (
        <p className={css.see}>Darshan from 3.4 on keeps every rank's bytes in its heatmap. {NOT_TRACED}</p>
      )}
    </>
  )
}

/** Its title stays where it is while the table is scrolled. */
function Titled({ title, data }: { title: string; data: TextTable }) {
  return (
    <div>
      <h3>{title}</h3>
      <Scroll label={title}>
        <PlainTable caption={title} data={data} />
      </Scroll>
    </div>
  )
}

const ENDS = 'The slowest and the fastest rank of each file'
const orReduced = (ranks: number | null) => (ranks === null ? 'all, as one' : count(ranks))

/** What is known of the ranks of files, at layers that tell no rank's seconds apart. */
function Reduced({ table: { use } }: { table: RankTable }) {
  if (use.reduced.length === 0) return null
  const shown = new Set(use.reduced.map((record) => record.file)).size
  return (
    <section aria-label={ENDS}>
      <h3>{ENDS}</h3>
      <p className={css.note}>
        {use.reduced_total > shown
          ? `The ${count(shown)} with the slowest ranks, of ${count(use.reduced_total)}.`
          : `${plural(use.reduced_total, 'file')}.`}{' '}
        {use.reduced.some(({ ranks }) => ranks === null) &&
          'Where Darshan reduced the records of all ranks to one, the ranks between are not known.'}
        {use.reduced.length > shown &&
          ' In a collective call all ranks wait for one another: below it, at POSIX, only those take time that touch the storage.'}
      </p>
      <Scroll label={ENDS}>
        <PlainTable
          caption={ENDS}
          data={{
            head: [
              'file',
              'layer',
              'ranks',
              'slowest rank',
              'its time',
              'its bytes',
              'fastest rank',
              'time of the fastest',
              'deviation of time',
              'deviation of bytes',
            ],
            rows: use.reduced.map((file) => [
              file.file,
              file.layer,
              orReduced(file.ranks),
              String(file.slowest_rank),
              format(file.slowest_s, 's'),
              orNotRecorded(file.slowest_bytes, (b) => format(b, 'B')),
              orNotRecorded(file.fastest_rank, String),
              orNotRecorded(file.fastest_s, (s) => format(s, 's')),
              orNotRecorded(file.deviation_s, (s) => format(s, 's')),
              orNotRecorded(file.deviation_bytes, (b) => format(b, 'B')),
            ]),
          }}
        />
      </Scroll>
    </section>
  )
}
