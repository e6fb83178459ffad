import { count, format } from '../../format'
import { type Comparison, type Curve, curveOf } from './expected'
import { figureIn, rate } from './rates'

/** The unit that all documents of a table use: its column says it once, above figures that can be found there. */
export function onlyUnit(all: readonly Comparison[]): Curve['unit'] | null {
  const [unit, ...others] = new Set(all.flatMap(({ curves }) => curves.map((curve) => curve.unit)))
  return unit !== undefined && others.length === 0 ? unit : null
}

export function rowsOf(comparison: Comparison, only: Curve['unit'] | null): string[][] {
  const cell = (value: number, of: Pick<Curve, 'unit'>) =>
    (only === null ? null : figureIn(value, only)) ?? rate(value, of)
  const own = comparison.points.map((p) => {
    const unit = curveOf(comparison, p.own[0]) ?? curveOf(comparison, p.best_curve) ?? comparison.curves[0]
    const says = p.fraction === null ? (p.reason ?? '') : `${format(p.fraction, 'share')} of the documented`
    return [p.label, count(p.processes), unit ? cell(p.bytes_per_s, unit) : '', `${p.by}; ${says}`]
  })
  const documented = comparison.curves.flatMap((curve) =>
    curve.rows.map((row) => {
      const quartiles =
        row.lower_quartile !== null && row.upper_quartile !== null && row.maximum !== null
          ? `; quartiles ${rate(row.lower_quartile, curve)} and ${rate(row.upper_quartile, curve)}, at most ${rate(row.maximum, curve)}`
          : row.minimum !== null
            ? ` from ${rate(row.minimum, curve)}`
            : ''
      return [
        curve.title,
        count(row.processes),
        cell(row.rate, curve),
        `${curve.statistic === 'quartiles' ? 'median' : curve.statistic}${quartiles}`,
      ]
    }),
  )
  return [...own, ...documented]
}
