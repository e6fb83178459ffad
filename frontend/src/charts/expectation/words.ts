import { capital, exactly, format, plural } from '../../format'
import { type Curve, curveOf, type Expected, type Point } from './expected'
import { ownRate, rate } from './rates'

const FIGURES: Readonly<Record<Curve['statistic'], string>> = {
  maximum: 'at most',
  quartiles: 'a median of',
  typical: 'typically',
  range: 'once',
}

export function named(curve: Curve): string {
  if (curve.stripe_count === null) return curve.title
  const stripes = curve.stripe_count < 0 ? 'all OSTs' : plural(curve.stripe_count, 'stripe')
  return curve.stripe_size_bytes === null ? stripes : `${stripes}, ${exactly(curve.stripe_size_bytes, 'B')}`
}

/** With the range of what was measured, where it is known at this process count. */
function figure(curve: Curve, point: Point, documented: number): string {
  const row = curve.rows.find(({ processes }) => processes === point.processes)
  const least = row?.minimum ?? documented
  if (curve.statistic === 'range' && least < documented) {
    return `${rate(least, curve)} to ${rate(documented, curve)}`
  }
  const figure = `${FIGURES[curve.statistic]} ${rate(documented, curve)}`
  const [low, high] = [row?.lower_quartile ?? null, row?.upper_quartile ?? null]
  return low === null || high === null
    ? figure
    : `${figure} (half of the runs ${rate(low, curve)} to ${rate(high, curve)})`
}

export function sentence({ comparison, point }: Expected): string {
  const own = curveOf(comparison, point.own[0])
  const best = curveOf(comparison, point.best_curve)
  const unit = own ?? best ?? comparison.curves[0]
  if (!unit) return ''
  const verb = comparison.direction === 'write' ? 'wrote' : 'read'
  const did = `${point.label}: ${plural(point.processes, 'process', 'processes')} ${verb} ${ownRate(point.bytes_per_s, unit)}.`
  const where = `${comparison.site_title} measured`
  const parts = [did]
  if (own && point.documented !== null && point.fraction !== null) {
    const between = point.interpolated ? ', between two documented process counts' : ''
    const decides = own.statistic === 'range' ? ', which decides nothing' : ''
    parts.push(
      `${where} ${figure(own, point, point.documented)} with such settings${between}: this is ${format(point.fraction, 'share')} of it${decides}.`,
    )
  } else if (point.reason) parts.push(`${capital(point.reason)}.`)
  if (best && point.best !== null && !point.own.includes(best.id)) {
    parts.push(`With ${named(best)}, ${own ? 'it measured' : where} ${rate(point.best, best)}.`)
  }
  return parts.join(' ')
}

export function caption({ all, comparison, titles }: Expected): string {
  const [curve] = comparison.curves
  const where = curve ? `${titles.get(curve.document) ?? curve.document}, ${curve.section}` : ''
  const boxed = comparison.curves.some(({ statistic }) => statistic === 'quartiles')
  const boxes = boxed
    ? ' A box holds the middle half of the runs, its dot is the median, its line goes to the fastest.'
    : ''
  const retired = comparison.retired ? ' The system is retired: its figures are a documented example.' : ''
  const more = all.length > 1 ? ` ${plural(all.length - 1, 'more comparison')} in the table.` : ''
  return `${comparison.direction === 'write' ? 'Writing' : 'Reading'} on ${comparison.file_system_title}; measured ${curve?.measured ?? ''} (${where}). Both scales are logarithmic.${boxes}${retired}${more}`
}
