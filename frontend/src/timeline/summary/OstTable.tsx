import { LAYER_NAMES } from '../../charts/frame/words/layerNames'
import { count, format } from '../../format'
import button from '../../ui/Button.module.css'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import type { TraceSummary } from '../requests'
import css from './Summary.module.css'

const MOST = 200

/** What the calls put on each OST and took from it; an OST is a link to its calls. */
export function OstTable({ summary, onOst }: { summary: TraceSummary; onOst: (ost: number) => void }) {
  const { osts, osts_total, ost_layer } = summary
  if (osts.length === 0) return null
  const shown = osts.slice(0, MOST)
  return (
    <details className={css.more}>
      <summary>
        The OSTs that the {LAYER_NAMES[ost_layer]} calls lie on, {count(osts_total)}
      </summary>
      <p className="small muted">
        Bytes are split where a stripe ends. Of a call on several OSTs nothing says which one it waited for:
        time and rate are those of the calls that lie on the OST alone, small ones among them.
        {osts_total > shown.length && ` The ${count(shown.length)} with most of that time are listed.`}
      </p>
      <Scroll label="Bytes and calls by OST" className={css.tall}>
        <table className={table.table}>
          <caption className="vh">Bytes and calls by OST</caption>
          <thead>
            <tr>
              <th scope="col">OST</th>
              {['written', 'read', 'calls on it alone', 'their time', 'their rate'].map((head) => (
                <th scope="col" className="num" key={head}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <tr key={one.ost}>
                <th scope="row">
                  <button type="button" className={button.link} onClick={() => onOst(one.ost)}>
                    {`OST\u00a0${one.ost}`}
                  </button>
                </th>
                <td className="num">{format(one.bytes_written, 'B')}</td>
                <td className="num">{format(one.bytes_read, 'B')}</td>
                <td className="num">{count(one.alone_calls)}</td>
                <td className="num">{one.alone_calls > 0 ? format(one.alone_s, 's') : '–'}</td>
                <td className="num">
                  {one.alone_s > 0 ? format(one.alone_bytes / one.alone_s, 'B/s') : '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}
