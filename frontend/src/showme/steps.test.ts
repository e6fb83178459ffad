// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { keyOf } from '../findings/keys'
import { independentSmall, lateRanks, oneStripe, slowOst, tunedRun } from '../fixtures/documents'
import { tickable } from '../helpdesk/reply/tickable'
import { stepsOf } from './steps'
import { EVERY_VIEW } from './views'

const EVERY: readonly CaseDocument[] = [independentSmall, lateRanks, oneStripe, slowOst, tunedRun]
const of = (document: CaseDocument, rule: string) => {
  const finding = document.findings.find((one) => one.rule === rule)
  if (!finding) throw new Error(`No finding ${rule}`)
  return stepsOf(finding, document, EVERY_VIEW)
}

describe('what a finding plays', () => {
  it('is three to five steps, or nothing, and nothing where it does not hold', () => {
    for (const document of EVERY)
      for (const finding of document.findings) {
        const { length } = stepsOf(finding, document, EVERY_VIEW)
        expect(length === 0 || (length >= 3 && length <= 5), keyOf(finding)).toBe(true)
        if (finding.verdict !== 'triggered') expect(length, keyOf(finding)).toBe(0)
      }
  })

  it('and a reply to choose it for call files by their name, without what Darshan hid of it', () => {
    const said = EVERY.flatMap((document) => {
      const hidden = JSON.parse(
        JSON.stringify(document).replaceAll(/("label":"[^"]*)"/g, '$1 (names obfuscated)"'),
      ) as CaseDocument
      return [
        ...hidden.findings.flatMap((one) => stepsOf(one, hidden, EVERY_VIEW).map(({ words }) => words)),
        ...tickable(hidden).map(({ note }) => note),
      ]
    }).join(' ')
    expect(said).toContain('cells.dat: written from ')
    expect(said).not.toContain('obfuscated')
  })

  it('begins with the figures, lights up what it is about, and ends where a number stands', () => {
    const steps = of(slowOst, 'slow-ost')
    expect(steps[0]?.scene.kind).toBe('figures')
    expect(steps.find(({ scene }) => scene.kind === 'charts')).toEqual({
      words: 'In every chart: OST 5.',
      scene: { kind: 'charts', links: [{ kind: 'ost', id: 5 }] },
    })
    expect(steps.at(-1)?.scene.kind).toBe('evidence')
  })

  it('goes to no moment where the case has several timelines, or none', () => {
    for (const document of EVERY) {
      const moments = document.findings
        .flatMap((finding) => stepsOf(finding, document, EVERY_VIEW))
        .filter(({ scene }) => scene.kind === 'timeline')
      if (document.charts.activity?.traces.length !== 1) expect(moments).toEqual([])
    }
  })

  it('says each step in words with their numbers', () => {
    for (const document of EVERY)
      for (const { words } of document.findings.flatMap((finding) =>
        stepsOf(finding, document, EVERY_VIEW),
      )) {
        expect(words).toMatch(/[.]$/)
        expect(words).not.toMatch(/undefined|NaN|null/)
      }
  })
})
