import { render, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { archerExpectation } from '../fixtures/archer'
import { largeJob } from '../fixtures/documents'
import { textOf } from '../test/text'
import { chart } from './Expectation'

const [archer] = archerExpectation
const [job] = archer?.points ?? []
const MIB = 2 ** 20

const draw = (expectation: CaseDocument['expectation'], site = largeJob.site) =>
  render(<chart.Drawing document={{ ...largeJob, expectation, site }} />)
function withPoint(changes: Partial<NonNullable<typeof job>>): CaseDocument['expectation'] {
  if (!archer || !job) throw new Error('The fixture has no point')
  return [{ ...archer, points: [{ ...job, ...changes }] }]
}

describe('documented bandwidths', () => {
  it("holds the job against its own striping and against the best, in the document's unit", () => {
    const { container } = draw(archerExpectation)
    expect(textOf(container)).toContain('out.0001: 384 processes wrote 881 MiB/s.')
    expect(textOf(container)).toContain(
      'ARCHER (EPCC) measured at most 881 MiB/s with such settings: this is 100 % of it.',
    )
    expect(textOf(container)).toContain('With all OSTs, 8 MiB, it measured 7,663 MiB/s.')
    expect(textOf(container)).toContain('The system is retired')
    expect(textOf(container)).not.toContain('A box holds')
  })

  it('says what a box of quartiles is', () => {
    const boxed = structuredClone(archerExpectation)
    for (const curve of boxed?.[0]?.curves ?? []) Object.assign(curve, { statistic: 'quartiles' })
    expect(textOf(draw(boxed).container)).toContain('A box holds the middle half of the runs')
  })

  it("draws the job's point below the best one, on the same count of processes", () => {
    const { container } = draw(archerExpectation)
    const circles = [...container.querySelectorAll('circle')]
    const titled = (word: string) =>
      circles.find((c) => c.querySelector('title')?.textContent?.startsWith(word))
    const [own, best] = [titled('out.0001'), titled('best documented')]
    expect(own?.getAttribute('cx')).toBe(best?.getAttribute('cx'))
    expect(Number(own?.getAttribute('cy'))).toBeGreaterThan(Number(best?.getAttribute('cy')))
  })

  it('says why a striping has no figure, and what the best one reached', () => {
    const { container } = draw(
      withPoint({
        own: [],
        documented: null,
        fraction: null,
        stripe_count: 8,
        reason: 'the documents have no figures for 8 stripes',
      }),
    )
    expect(textOf(container)).toContain('The documents have no figures for 8 stripes.')
    expect(textOf(container)).toContain('With all OSTs, 8 MiB, ARCHER (EPCC) measured 7,663 MiB/s.')
  })

  it('claims nothing beyond the documented counts', () => {
    const reason = 'the documents measured with 96 to 1,536 processes, not with 16,384'
    const { container } = draw(
      withPoint({
        processes: 16_384,
        own: [],
        documented: null,
        fraction: null,
        best: null,
        best_curve: null,
        reason,
      }),
    )
    expect(textOf(container)).toContain('The documents measured with 96 to 1,536 processes, not with 16,384.')
    expect(container.querySelector('circle title')?.textContent).not.toContain('best documented')
    expect(textOf(container)).not.toMatch(/NaN|Infinity/)
  })

  it('has every documented row in the table, quartiles with their spread', () => {
    const [curve] = archer?.curves ?? []
    if (!archer || !curve) throw new Error('The fixture has no curve')
    const row = {
      processes: 2048,
      rate: 10_240 * MIB,
      lower_quartile: 8192 * MIB,
      upper_quartile: 12_288 * MIB,
      maximum: 22_528 * MIB,
      minimum: null,
    }
    const quartiles = { ...curve, statistic: 'quartiles' as const, unit: 'GiB/s' as const, rows: [row] }
    draw([{ ...archer, curves: [quartiles], points: archer.points }])
    const table = textOf(within(screen.getByRole('figure')).getByRole('table'))
    expect(table).toContain('bandwidth, GiB/s')
    expect(table).toContain('2,04810median; quartiles 8 GiB/s and 12 GiB/s, at most 22 GiB/s')
    expect(screen.getByRole('figure').querySelector('svg rect')).not.toBeNull()
  })

  it('says that a file system of no site is not compared', () => {
    const nowhere = { ...largeJob, expectation: [], site: { ...largeJob.site, id: 'generic-lustre' } }
    expect(chart.missing(nowhere)?.missing).toContain('of no site whose documents give bandwidths')
  })
})
