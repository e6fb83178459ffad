import type { ThresholdInForce } from '../api/types'
import type { CaseDocument } from './caseDocument'
import type { Thresholds } from './evaluate'

/** A threshold as the panel shows it: the documents' number, the site's, and the one in force. */
export interface Setting {
  readonly threshold: ThresholdInForce
  /** The number without the person's own change: the site's, else the rule's. */
  readonly given: number
  readonly value: number
  readonly changed: boolean
  /** Why the site sets another number than the rule, where it does. */
  readonly siteSays: string | null
}

export interface SiteOverride {
  readonly threshold: string
  readonly value: number
  readonly why: string
}

/**
 * What is in force: the rule's default, the site's override, then the person's own change. Of a change out of the
 * threshold's range, which the server refuses, nothing is taken.
 * `overrides` is null where the document was made for the chosen site: its thresholds already hold the site's.
 */
export function settingsOf(
  document: CaseDocument,
  own: Thresholds,
  overrides: readonly SiteOverride[] | null,
): Setting[] {
  return document.thresholds.map((threshold) => {
    const override = overrides?.find((o) => o.threshold === threshold.id)
    const given =
      overrides === null ? (threshold.moved_from ?? threshold.value) : (override?.value ?? threshold.default)
    const siteSays = overrides === null ? threshold.site_says : (override?.why ?? null)
    const moved = own[threshold.id]
    const otherwise = overrides === null ? threshold.value : given
    const value = (moved === undefined ? null : meantBy(moved, threshold, given)) ?? otherwise
    return { threshold, given, value, changed: value !== given, siteSays }
  })
}

/** The number that is in force where a person asks for this one: from the number that is given to the ends of the range, which a
 * site's may lie beyond. 0 says "however little" on a logarithmic line, which has none: the least that it has. Null where it
 * may not be moved there. */
export function meantBy(
  asked: number,
  { minimum, maximum, scale }: ThresholdInForce,
  given: number,
): number | null {
  const least = Math.min(minimum, given)
  if (asked === 0 && scale === 'log') return Math.max(0, least)
  return asked >= least && asked <= Math.max(maximum, given) ? asked : null
}

/** How many thresholds have another number than the one given. */
export const movedCount = (settings: ReadonlyMap<string, Setting>): number =>
  [...settings.values()].filter(({ changed }) => changed).length

export function valuesOf(settings: readonly Setting[]): Thresholds {
  return Object.fromEntries(settings.map((setting) => [setting.threshold.id, setting.value]))
}

export function sameThresholds(a: Thresholds, b: Thresholds): boolean {
  const ids = Object.keys(a)
  return ids.length === Object.keys(b).length && ids.every((id) => a[id] === b[id])
}
