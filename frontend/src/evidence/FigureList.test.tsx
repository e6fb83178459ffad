import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { independentSmall, recordOverflow } from '../fixtures/documents'
import { FixtureCase } from '../fixtures/FixtureCase'
import { serve } from '../test/router'
import { FigureList } from './FigureList'

const account = independentSmall.account && {
  ...independentSmall.account,
  slowest: { rank: null, least_s: 1, most_s: 2, cells: null },
}

it.each<[string, CaseDocument, RegExp]>([
  ['as it is', independentSmall, /^[\d.]+ MiB\/s/],
  ['of what is recorded', recordOverflow, /^736 KiB\/s.*in what is recorded/],
  ['as the least that it is', { ...independentSmall, account }, /^at least [\d.]+ MiB\/s/],
])('has the rate of the job %s, as the facts of the case have it', async (_, document, said) => {
  serve({ 'GET /api/v1/cases/fixture/metrics': { b: { id: 'io.bandwidth', title: 'Bandwidth' } } })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <FixtureCase document={document}>
        <FigureList search={{ figure: 'io.bandwidth' }} onChange={() => {}} />
      </FixtureCase>
    </QueryClientProvider>,
  )
  const [row] = await screen.findAllByRole('rowheader', { name: /^Bandwidth/ })
  expect(row?.nextElementSibling?.textContent?.replaceAll('\u202f', ' ')).toMatch(said)
})
