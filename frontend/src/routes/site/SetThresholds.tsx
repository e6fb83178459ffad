import type { RuleView, Site } from '../../api/types'
import { exactly } from '../../format'
import { DataTable } from '../../ui/DataTable'
import { RuleLink } from '../../ui/RuleLink'
import { Scroll } from '../../ui/Scroll'
import css from '../Rules.module.css'
import { By } from './By'

type Override = Site['thresholds'][number]

export function SetThresholds({ set, rules }: { set: readonly Override[]; rules: readonly RuleView[] }) {
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
            caption="Thresholds of the site"
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
