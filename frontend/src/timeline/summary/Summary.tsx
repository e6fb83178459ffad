import { LAYER_NAMES } from '../../charts/frame/words/layerNames'
import { count, format, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import type { TraceSummary } from '../requests'
import css from './Summary.module.css'
import { ostsInWords, phasesInWords, slowestInWords, span, whenInWords } from './sentences'

type LayerTrace = TraceSummary['layers'][number]

/** What the timeline shows, in sentences: when, who is slowest, which phases, who is late. Each layer answers the same
 * questions in the same order, one a line. */
export function Summary({ summary, layers }: { summary: TraceSummary; layers: readonly string[] }) {
  return (
    <dl className={css.said}>
      {summary.layers
        .filter((layer) => layers.includes(layer.layer))
        .map((layer) => (
          <div key={layer.layer}>
            <dt>{LAYER_NAMES[layer.layer]}</dt>
            {[whenInWords(layer), slowestInWords(layer), phasesInWords(layer)].filter(Boolean).map((said) => (
              <dd key={said}>{unbroken(said)}</dd>
            ))}
          </div>
        ))}
      {summary.osts.length > 0 && layers.includes(summary.ost_layer) && (
        <div>
          <dt>OSTs</dt>
          <dd>{unbroken(ostsInWords(summary))}</dd>
        </div>
      )}
    </dl>
  )
}

/** The same in figures; a phase is a link to its time. */
export function SummaryTables({
  summary,
  layers,
  onTime,
}: {
  summary: TraceSummary
  layers: readonly string[]
  onTime: (from_s: number, to_s: number) => void
}) {
  const shown = summary.layers.filter((layer) => layers.includes(layer.layer))
  return shown.map((layer) => (
    <div key={layer.layer}>
      {layer.phases.length > 0 && <Phases layer={layer} onTime={onTime} />}
      <details className={css.more}>
        <summary>The ranks that spend most time in {LAYER_NAMES[layer.layer]} calls</summary>
        <Scroll label={`Slowest ranks at ${LAYER_NAMES[layer.layer]}`}>
          <table className={table.table}>
            <caption className="vh">Slowest ranks at {LAYER_NAMES[layer.layer]}</caption>
            <thead>
              <tr>
                <th scope="col">rank</th>
                <th scope="col">node</th>
                {['time in calls', 'written', 'read', 'last call ends'].map((name) => (
                  <th scope="col" className="num" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {layer.slowest.map((rank) => (
                <tr key={rank.rank}>
                  <th scope="row">{rank.rank}</th>
                  <td>{rank.host ?? <span className="muted">not recorded</span>}</td>
                  <td className="num">{format(rank.time_s, 's')}</td>
                  <td className="num">{format(rank.bytes_written, 'B')}</td>
                  <td className="num">{format(rank.bytes_read, 'B')}</td>
                  <td className="num">{format(rank.last_end_s, 's')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </div>
  ))
}

function Phases({ layer, onTime }: { layer: LayerTrace; onTime: (from_s: number, to_s: number) => void }) {
  const name = LAYER_NAMES[layer.layer]
  const more = layer.phases_total - layer.phases.length
  return (
    <details className={css.more}>
      <summary>
        Phases in which the ranks are inside {name} calls together, {count(layer.phases_total)}
      </summary>
      <p className="small muted">
        Inferred from calls that overlap in time: DXT does not tell collective calls from independent ones. A
        last rank is late where it leaves a tenth of the phase or more after the middle one; both limits are
        IOtriage's own.{more > 0 && ` The longest ${count(layer.phases.length)} are listed.`}
      </p>
      <Scroll label={`Phases at ${name}`} className={css.tall}>
        <table className={table.table}>
          <caption className="vh">Phases at {name}</caption>
          <thead>
            <tr>
              <th scope="col">time</th>
              {['lasts', 'ranks', 'calls', 'bytes', 'last rank', 'after the middle one'].map((head) => (
                <th scope="col" className="num" key={head}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {layer.phases.map((phase) => (
              <tr key={phase.from_s}>
                <th scope="row">
                  <button
                    type="button"
                    className={button.link}
                    onClick={() => onTime(phase.from_s, phase.to_s)}
                  >
                    {span(phase.from_s, phase.to_s)}
                  </button>
                </th>
                <td className="num">{format(phase.to_s - phase.from_s, 's')}</td>
                <td className="num">{count(phase.ranks)}</td>
                <td className="num">{count(phase.calls)}</td>
                <td className="num">{format(phase.bytes, 'B')}</td>
                <td className="num">{phase.last_rank}</td>
                <td className="num">
                  {format(phase.late_s, 's')}
                  {phase.straggler ? ', late' : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}
