import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import type { CaseView } from '../api/types'
import { recordOverflow } from '../fixtures/documents'
import { FixtureCase } from '../fixtures/FixtureCase'
import { me } from '../test/me'
import { serve } from '../test/router'
import { EvidenceList, missingEvidence } from './EvidenceList'

const VIEW = { sources: [] } as unknown as CaseView

/** The case, with a partly read source so many times over. */
function draw(times: number, remarks = 1) {
  serve({ 'GET /api/v1/me': me() })
  const [troubled] = recordOverflow.sources.filter(({ warnings }) => warnings.some((w) => w.loses_data))
  if (!troubled) throw new Error('the fixture lacks no records')
  const sources = Array.from({ length: times }, (_, n) => ({
    ...troubled,
    name: `part-${n}`,
    sha256: String(n),
    warnings: Array.from({ length: remarks }, (_, at) => ({
      ...troubled.warnings[0],
      message: `remark ${at}`,
    })),
  }))
  const document = { ...recordOverflow, sources } as CaseDocument
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <FixtureCase document={document}>
        <EvidenceList view={VIEW} onAdd={() => {}} />
      </FixtureCase>
    </QueryClientProvider>,
  ).container
}

it('opens what is wrong with a source, and of many keeps one line above the findings', () => {
  expect(draw(1).querySelectorAll('details[open]')).toHaveLength(1)
  expect(draw(3).querySelectorAll('details[open]')).toHaveLength(0)
  const many = draw(20)
  expect(many.querySelectorAll('details[open]')).toHaveLength(0)
  expect(screen.getByText('Remarks on 20 sources')).toBeVisible()
  expect(many.querySelectorAll('details details')).toHaveLength(20)
})

it('folds the remarks on a source beyond the first', () => {
  expect(draw(1, 5).querySelectorAll('details details')).toHaveLength(0)
  const folded = draw(1, 7).querySelector('details details')
  expect(folded?.querySelector('summary')).toHaveTextContent('3 more remarks')
  expect(folded?.querySelectorAll('li')).toHaveLength(3)
})

it('does not call evidence not given of which a source was read in part', () => {
  const [finding] = recordOverflow.findings
  if (!finding) throw new Error('the fixture has no finding')
  const settling = ['Darshan', 'MPICH_MPIIO_STATS'].map((evidence) => ({ evidence, text: '', lines: [] }))
  const findings = [{ ...finding, verdict: 'unknown' as const, settling }]
  expect(missingEvidence({ findings, sources: recordOverflow.sources })).toEqual(['MPICH_MPIIO_STATS'])
  expect(missingEvidence({ findings, sources: [] })).toEqual(['Darshan', 'MPICH_MPIIO_STATS'])
})

it.each([
  ['darshan_log', 'complete', 'Darshan'],
  ['darshan_parser_text', 'partial', 'Darshan'],
  ['mpich_hints', 'complete', 'MPICH_MPIIO_HINTS_DISPLAY'],
  ['mpich_environment', 'partial', 'MPICH_ENV_DISPLAY'],
] as const)('does not call evidence not given that %s read, which is %s', (kind, status, evidence) => {
  const [finding] = recordOverflow.findings
  const [source] = recordOverflow.sources
  if (!finding || !source) throw new Error('the fixture has no finding, or no source')
  const findings = [
    { ...finding, verdict: 'unknown' as const, settling: [{ evidence, text: '', lines: [] }] },
  ]
  expect(missingEvidence({ findings, sources: [{ ...source, kind, status }] })).toEqual([])
  expect(missingEvidence({ findings, sources: [{ ...source, kind, status: 'nothing' }] })).toEqual([evidence])
  expect(missingEvidence({ findings, sources: [{ ...source, kind: 'ior', status }] })).toEqual([evidence])
})
