import type { RuleView, Site } from '../api/types'
import { exactly, unbroken } from '../format'
import { Cite } from '../ui/cite/Cite'
import { Scroll } from '../ui/Scroll'
import table from '../ui/Table.module.css'
import css from './Rules.module.css'

/** Each number of the rule, here and at the sites that set another, and who says so. */
export function RuleThresholds({ rule, sites }: { rule: RuleView; sites: readonly Site[] }) {
  const setting = sites.filter((site) =>
    site.thresholds.some((o) => rule.thresholds.some((t) => t.id === o.threshold)),
  )
  return (
    <section id="thresholds" aria-label="Thresholds">
      <h2>Thresholds</h2>
      <Scroll label="Thresholds">
        <table className={table.table} aria-label="Thresholds">
          <thead>
            <tr>
              <th scope="col">threshold</th>
              <th scope="col" className="num">
                default
              </th>
              {setting.map((site) => (
                <th scope="col" className="num" key={site.id}>
                  {site.title}
                </th>
              ))}
              <th scope="col">what says so</th>
              <th scope="col">what it says, or our reason</th>
            </tr>
          </thead>
          <tbody>
            {rule.thresholds.map((t) => {
              const { unit } = t
              return (
                <tr key={t.id}>
                  <th scope="row">
                    {t.title}
                    <div className="mono small muted">{t.id}</div>
                  </th>
                  <td className="num">{exactly(t.default, unit)}</td>
                  {setting.map((site) => {
                    const override = site.thresholds.find((o) => o.threshold === t.id)
                    return (
                      <td className="num" key={site.id} title={override?.why}>
                        {override ? (
                          exactly(override.value, unit)
                        ) : (
                          <span className="muted">{exactly(t.default, unit)}</span>
                        )}
                      </td>
                    )
                  })}
                  <td>
                    <Cite
                      document={t.stated_by.document}
                      section={t.stated_by.section}
                      rule={rule.id}
                      of={rule.documents.find((d) => d.key === t.stated_by.document)}
                    />
                  </td>
                  <td className={`soft ${css.says}`}>{unbroken(t.stated_by.says)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}
