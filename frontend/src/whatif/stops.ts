/** What can be chosen otherwise, and what that does, in words: the document's own figures, nothing of the page's. */

import { between, capital, count, exactly, format, plural } from '../format'
import type { Choice, Stop, WhatIf } from './chosen'

/** Steps of the slider from its first stop to its last: fine enough to stand below any place of the axis. */
export const STEPS = 1000

/** Where a value stands between the first stop and the last, on a logarithmic scale as the axis has. */
export function stepOf(stops: readonly Stop[], value: number): number {
  const [least, most] = [stops[0]?.value ?? value, stops.at(-1)?.value ?? value]
  return least === most ? 0 : Math.round((STEPS * Math.log(value / least)) / Math.log(most / least))
}

/** The stop that a slider moved to a step means: the nearest one. A key that moves it by less than half the way to the next
 * stop means that next one; a pointer does not. */
export function stopAt(stops: readonly Stop[], from: number, step: number, byPointer: boolean): number {
  const values = stops.map((stop) => stop.value)
  const far = (value: number) => Math.abs(stepOf(stops, value) - step)
  const nearest = values.reduce((best, value) => (far(value) < far(best) ? value : best), from)
  if (nearest !== from || byPointer) return nearest
  const towards = Math.sign(step - stepOf(stops, from))
  return values[values.indexOf(from) + towards] ?? from
}

export const QUANTITIES: Readonly<Record<WhatIf['quantity'], string>> = {
  stripe_count: 'stripes',
  stripe_size: 'size of a stripe',
  transfer_size: 'size of a transfer',
  processes: 'processes',
}

/** "48 stripes", "stripes of 8 MiB". */
export function settingWords(quantity: WhatIf['quantity'], value: number): string {
  switch (quantity) {
    case 'stripe_count':
      return plural(value, 'stripe')
    case 'stripe_size':
      return `stripes of ${exactly(value, 'B')}`
    case 'transfer_size':
      return `transfers of ${format(value, 'B')}`
    case 'processes':
      return plural(value, 'process', 'processes')
  }
}

export function tickWords(quantity: WhatIf['quantity'], value: number): string {
  switch (quantity) {
    case 'stripe_size':
      return exactly(value, 'B')
    case 'transfer_size':
      return format(value, 'B')
    default:
      return count(value)
  }
}

const doing = ({ direction, name }: WhatIf) => `${direction === 'write' ? 'writing' : 'reading'} ${name}`

/** What the choice does to the time, in one sentence. */
export function outcome(one: WhatIf, choice: Choice | null): string {
  const now = `takes ${format(one.now_s, 's')} now, with ${settingWords(one.quantity, one.now)}`
  if (choice === null) return `${capital(doing(one))} ${now}.`
  const then = between(choice.least_s, choice.most_s)
  return `With ${settingWords(one.quantity, choice.value)} it would take ${then}${saving(one, choice)}; ${doing(one)} ${now}.`
}

/** As a finding has it beside what it takes: what could be saved, and not only what would be left. */
function saving({ now_s }: WhatIf, { least_s, most_s }: Choice): string {
  if (least_s >= now_s) return ''
  const saved =
    most_s < now_s ? between(now_s - most_s, now_s - least_s) : `up to ${format(now_s - least_s, 's')}`
  return `, and could save ${saved}`
}

/** What each bound is based on. */
export function reasons(one: WhatIf, choice: Choice): readonly string[] {
  const most = `${format(choice.most_rate, 'B/s')}, the most ${choice.documented ? 'documented for it' : 'documented for the values on either side'}`
  const far = one.fraction === null ? null : format(one.fraction, 'share')
  return [
    `${format(choice.least_s, 's')} if it reached ${most}${(one.fraction ?? 0) > 1 ? ', and the job stays as far above the documents as now' : ''}.`,
    choice.alike_s === null
      ? 'How far the job is from the documents now is not known: they have no figure for its own setting.'
      : `${format(choice.alike_s, 's')} if it stays at ${far} of the documented rate, as now.`,
    choice.most_s > one.now_s
      ? `${format(choice.most_s, 's')} if it fares no better than the least that was measured, as far below it as now.`
      : 'As long as now if this setting is not what takes the time.',
  ]
}
