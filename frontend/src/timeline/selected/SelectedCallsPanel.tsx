import { useQueries } from '@tanstack/react-query'
import { EXPORTED_CASE } from '../../api/embedded'
import { LAYER_NAMES } from '../../charts/frame/words/layerNames'
import { count, format, plural, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import type { Box } from '../box'
import { columnsOf } from '../callColumns'
import { selectionQuery } from '../queries'
import type { CallFilter, CallLayer, LogPlace, SelectedCalls, TraceSummary } from '../requests'
import { askedPart, type Rows } from '../rows'
import { callInWords, selectionInWords } from '../summary/sentences'
import { wholePart } from '../usePart'
import css from './Panels.module.css'
import { type PinnedCall, pinOf } from './pinned'

interface Props {
  readonly place: LogPlace
  readonly layers: readonly CallLayer[]
  readonly chosen: Omit<CallFilter, 'layer'>
  readonly rows: Rows
  readonly nprocs: number
  readonly summary: TraceSummary | undefined
  readonly selection: Box
  readonly onCloser: () => void
  readonly onClear: () => void
  readonly onPin: (pin: PinnedCall) => void
}

/** What the selected calls add up to, a column for each layer. */
export function SelectedCallsPanel(props: Props) {
  const { place, layers, chosen, rows, nprocs, summary, selection } = props
  const { part, rows: bytes } = askedPart(wholePart(selection), rows.down, nprocs)
  const answers = useQueries({
    queries: layers.map((layer) => selectionQuery(place, { ...chosen, layer }, part, bytes)),
  })
  const selected = answers.flatMap((answer) => answer.data ?? [])
  const failed = answers.find((answer) => answer.error)
  const partial = (layer: CallLayer) => summary?.layers.find((one) => one.layer === layer)?.partial ?? false
  return (
    <section className={css.panel} aria-label="Selection">
      <div className={css.head}>
        <h3>{unbroken(selectionInWords(selection, rows))}</h3>
        <div className={`${css.does} screen`}>
          <button type="button" className={button.button} onClick={props.onCloser}>
            Look closer
          </button>
          <button type="button" className={button.button} onClick={props.onClear}>
            Clear selection
          </button>
        </div>
      </div>
      {failed?.error && (
        <QueryProblem query={{ error: failed.error, refetch: failed.refetch }} what="The selection" />
      )}
      {selected.length < layers.length ? (
        failed ? null : (
          <Skeleton height={240} />
        )
      ) : (
        <div role="status">
          {selected.map((one) => (
            <p className={css.said} key={one.layer}>
              {unbroken(selectedInWords(one, partial(one.layer)))}
            </p>
          ))}
          <Scroll label="Statistics of the selection">
            <table className={table.table}>
              <caption className="vh">Statistics of the selection</caption>
              <thead>
                <tr>
                  <th scope="col">calls that lie in it, whole</th>
                  {selected.map((one) => (
                    <th scope="col" className="num" key={one.layer}>
                      {LAYER_NAMES[one.layer]}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {FIGURES.map(([name, value]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    {selected.map((one) => (
                      <td className="num" key={one.layer}>
                        {value(one)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {selected.map((one) => (
            <Longest key={one.layer} selected={one} summary={summary} onPin={props.onPin} />
          ))}
        </div>
      )}
    </section>
  )
}

function Longest({
  selected,
  summary,
  onPin,
}: {
  selected: SelectedCalls
  summary: TraceSummary | undefined
  onPin: (pin: PinnedCall) => void
}) {
  const calls = columnsOf(selected.longest)
  if (calls.count === 0) return null
  const pathOf = (record: string) =>
    summary?.files.find((file) => file.record === record)?.path ?? `record ${record}`
  const seconds = (i: number) => (calls.end[i] ?? 0) - (calls.start[i] ?? 0)
  const order = Array.from({ length: calls.count }, (_, i) => i).sort((a, b) => seconds(b) - seconds(a))
  return (
    <details>
      <summary>
        {calls.count === 1 ? 'The' : `The ${count(calls.count)}`} longest {LAYER_NAMES[selected.layer]}{' '}
        {calls.count === 1 ? 'call' : 'calls'} of it
      </summary>
      <ol>
        {order.map((i) => (
          <li key={i}>
            {unbroken(callInWords(calls, i, pathOf))}{' '}
            <button type="button" className={`${button.link} screen`} onClick={() => onPin(pinOf(calls, i))}>
              keep to compare
            </button>
          </li>
        ))}
      </ol>
    </details>
  )
}

const seconds = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : format(value, 's')
const bytesOf = (one: SelectedCalls) => one.bytes_read + one.bytes_written

const NO_OSTS = EXPORTED_CASE === null ? 'layout not recorded' : 'not told in this file'

const FIGURES: readonly (readonly [string, (one: SelectedCalls) => string])[] = [
  ['bytes written', (one) => format(one.bytes_written, 'B')],
  ['bytes read', (one) => format(one.bytes_read, 'B')],
  ['write calls', (one) => count(one.writes)],
  ['read calls', (one) => count(one.reads)],
  ['ranks', (one) => count(one.ranks)],
  ['files', (one) => count(one.files)],
  ['OSTs', (one) => (one.osts === null ? NO_OSTS : count(one.osts))],
  ['time with a call running', (one) => seconds(one.call_s ? one.busy_s : null)],
  ['rate while one runs', (one) => (one.busy_s > 0 ? format(bytesOf(one) / one.busy_s, 'B/s') : '–')],
  ['time in calls, all ranks together', (one) => seconds(one.call_s ? one.in_calls_s : null)],
  ['shortest call', (one) => seconds(one.call_s?.least)],
  ['middle call', (one) => seconds(one.call_s?.median)],
  ['90 % of calls within', (one) => seconds(one.call_s?.p90)],
  ['99 % of calls within', (one) => seconds(one.call_s?.p99)],
  ['longest call', (one) => seconds(one.call_s?.most)],
]

/** What was selected, at one layer. */
function selectedInWords(one: SelectedCalls, partial: boolean): string {
  const calls = one.reads + one.writes
  const layer = LAYER_NAMES[one.layer]
  if (calls === 0 || !one.call_s) return `No ${layer} calls lie in it.`
  const rate = one.busy_s > 0 ? `, ${format(bytesOf(one) / one.busy_s, 'B/s')} while any of them runs` : ''
  return `${partial ? 'At least ' : ''}${plural(calls, `${layer} call`)} of ${plural(one.ranks, 'rank')} in ${plural(one.files, 'file')} move ${format(bytesOf(one), 'B')}${rate}; the middle call takes ${format(one.call_s.median, 's')}, the longest ${format(one.call_s.most, 's')}.`
}
