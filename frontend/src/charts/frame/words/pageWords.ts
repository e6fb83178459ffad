import { decide } from '../../../analysis/evaluate'
import type { StoredDocument } from '../../../api/types'
import { keyOf } from '../../../findings/keys'
import { schemeOf, schemeWords } from '../../../overview/scheme'
import { type Step, stepsOf } from '../../../showme/steps'
import { EVERY_VIEW } from '../../../showme/views'
import { CHARTS } from '../../all'
import type { ChartWords } from '../chart'

/** The sentences of a case's page, as a person reads them: for the tests that hold all surfaces against one another. */
export interface PageWords {
  readonly sentence: string
  readonly figure: string | null
  readonly schematic: string | null
  readonly charts: Readonly<Record<string, ChartWords>>
  /** What cannot be drawn, and why. */
  readonly missing: Readonly<Record<string, string>>
  /** What the findings that hold play, by their names. */
  readonly played: Readonly<Record<string, readonly Step[]>>
}

export function pageWords(stored: StoredDocument): PageWords {
  const document = decide(stored)
  const scheme = schemeOf(document)
  const charts = CHARTS.flatMap((chart) => {
    const said = chart.said(document)
    return said ? [[chart.id, said] as const] : []
  })
  const missing = CHARTS.flatMap((chart) => chart.missing(document) ?? [])
  return {
    sentence: document.headline.sentence,
    figure: document.headline.figure,
    schematic: scheme && schemeWords(scheme),
    charts: Object.fromEntries(charts),
    missing: Object.fromEntries(missing.map((one) => [one.id, one.missing])),
    played: Object.fromEntries(
      document.findings
        .filter((finding) => finding.verdict === 'triggered')
        .map((finding) => [keyOf(finding), stepsOf(finding, document, EVERY_VIEW)]),
    ),
  }
}
