/** Which setting is asked about, and where its slider stands: small, since the page asks before it draws. */
import type { CaseDocument } from '../analysis/caseDocument'

export type WhatIf = CaseDocument['what_if'][number]
export type Choice = WhatIf['choices'][number]

/** One position of the slider: the present setting, or a choice. */
export interface Stop {
  readonly value: number
  readonly choice: Choice | null
}

export const stopsOf = ({ now, choices }: WhatIf): readonly Stop[] =>
  [{ value: now, choice: null }, ...choices.map((choice) => ({ value: choice.value, choice }))].sort(
    (a, b) => a.value - b.value,
  )

const time = (choice: Choice) => choice.alike_s ?? choice.least_s

/** The choice on which it opens: the measured one that takes the least time at the job's own distance. */
export function opensOn({ choices }: WhatIf): number {
  const measured = choices.filter((choice) => choice.documented)
  const [first, ...rest] = measured.length > 0 ? measured : choices
  return rest.reduce((best, choice) => (best && time(choice) < time(best) ? choice : best), first)?.value ?? 0
}

/** A setting is shown by default where some choice takes less than this share of the time. */
const GAIN = 0.9

/** As the address has it: `stripe_count,g1,write,48`. */
export interface Chosen {
  readonly one: WhatIf
  readonly value: number
}

/** What the address names, else the first setting that has something to gain: a job that stands well is not asked what
 * would make it slower. */
export function chosenOf(all: readonly WhatIf[], text: string | undefined): Chosen | null {
  const [quantity, group, direction, value] = (text ?? '').split(',')
  const named = all.find(
    (one) => one.quantity === quantity && one.group === group && one.direction === direction,
  )
  const gains = (one: WhatIf) => one.choices.some((choice) => time(choice) < GAIN * one.now_s)
  const one = named ?? all.find(gains)
  if (!one) return null
  const known = named && stopsOf(one).some((stop) => stop.value === Number(value))
  return { one, value: known ? Number(value) : opensOn(one) }
}

export const inAddress = ({ quantity, group, direction }: WhatIf, value: number): string =>
  [quantity, group, direction, value].join(',')
