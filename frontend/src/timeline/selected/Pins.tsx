import { useQueries } from '@tanstack/react-query'
import { LAYER_NAMES } from '../../charts/frame/words/layerNames'
import { count, format, offsetWords } from '../../format'
import button from '../../ui/Button.module.css'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import { type CallColumns, columnsOf } from '../callColumns'
import { timelineQuery } from '../queries'
import type { LogPlace, TraceSummary } from '../requests'
import { NO_OST } from '../summary/sentences'
import css from './Panels.module.css'
import { type PinnedCall, placeOf } from './pinned'

interface Pinned {
  readonly pin: PinnedCall
  readonly calls: CallColumns
  readonly at: number
}

/** Some calls that were kept, one beside the other, each quantity in a row. */
export function Pins({
  place,
  pins,
  summary,
  title,
  onDrop,
  onLook,
}: {
  place: LogPlace
  pins: readonly PinnedCall[]
  summary: TraceSummary | undefined
  title: string
  onDrop: (pin: PinnedCall) => void
  onLook: (span: { from_s: number; to_s: number }) => void
}) {
  const answers = useQueries({ queries: pins.map((pin) => callQuery(place, pin)) })
  const found = pins.flatMap((pin, i): Pinned[] => {
    const marks = answers[i]?.data?.marks
    if (marks?.kind !== 'calls') return []
    const calls = columnsOf(marks)
    const at = placeOf(pin, calls)
    return at < 0 ? [] : [{ pin, calls, at }]
  })
  const missing = answers.every((answer) => !answer.isPending) ? pins.length - found.length : 0
  const pathOf = (record: string) =>
    summary?.files.find((file) => file.record === record)?.path ?? `record ${record}`
  return (
    <section className={css.panel} aria-label="Calls side by side">
      <h3>{title}</h3>
      <Scroll label="Calls side by side">
        <table className={table.table}>
          <caption className="vh">Calls side by side</caption>
          <thead>
            <tr>
              <th scope="col">
                <span className="vh">quantity</span>
              </th>
              {found.map(({ pin, calls, at }) => (
                <th scope="col" className="num" key={`${pin.layer}${pin.rank}${pin.start_s}`}>
                  {`Rank ${pin.rank}, ${LAYER_NAMES[pin.layer]}`}{' '}
                  <span className="screen">
                    <button
                      type="button"
                      className={button.link}
                      onClick={() => onLook({ from_s: calls.start[at] ?? 0, to_s: calls.end[at] ?? 0 })}
                    >
                      show
                    </button>{' '}
                    <button
                      type="button"
                      className={button.link}
                      aria-label={`Stop comparing the call of rank ${pin.rank} at ${format(pin.start_s, 's')}`}
                      onClick={() => onDrop(pin)}
                    >
                      ×
                    </button>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {QUANTITIES.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {found.map((one) => (
                  <td className="num" key={`${one.pin.layer}${one.pin.rank}${one.pin.start_s}`}>
                    {value(one, pathOf)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {missing > 0 && <p className="small muted">{count(missing)} of the calls kept are not in this log.</p>}
    </section>
  )
}

const lasts = ({ calls, at }: Pinned) => (calls.end[at] ?? 0) - (calls.start[at] ?? 0)
const bytes = ({ calls, at }: Pinned) => calls.length[at] ?? 0

const QUANTITIES: readonly (readonly [string, (one: Pinned, pathOf: (r: string) => string) => string])[] = [
  ['call', ({ calls, at }) => (calls.write[at] === 1 ? 'write' : 'read')],
  ['begins', ({ calls, at }) => `${(calls.start[at] ?? 0).toFixed(6)} s`],
  ['lasts', (one) => format(lasts(one), 's')],
  ['bytes', (one) => format(bytes(one), 'B')],
  ['rate', (one) => (lasts(one) > 0 ? format(bytes(one) / lasts(one), 'B/s') : '–')],
  [
    'offset',
    ({ calls, at }) => ((calls.offset[at] ?? -1) < 0 ? 'not recorded' : offsetWords(calls.offset[at] ?? 0)),
  ],
  [
    'first OST',
    ({ calls, at }) =>
      (calls.firstOst[at] ?? NO_OST) === NO_OST ? 'not known' : `OST ${calls.firstOst[at]}`,
  ],
  ['file', ({ calls, at }, pathOf) => pathOf(calls.records[calls.record[at] ?? 0] ?? '')],
]

/** The calls of its rank that run when it begins: it is one of few. */
function callQuery(place: LogPlace, { layer, rank, start_s }: PinnedCall) {
  const asked = { layer, operation: null, file: null, ost: null, colour: 'operation' } as const
  const near = { from_s: start_s, to_s: start_s + Math.max(1e-9, start_s * 1e-12) }
  const part = { ...near, first_rank: rank, last_rank: rank, rows: 1, columns: 1 }
  return timelineQuery(place, asked, part, null)
}
