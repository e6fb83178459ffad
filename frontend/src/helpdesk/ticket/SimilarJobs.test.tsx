import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { newQueries } from '../../access/newQueries'
import { serve } from '../../test/router'
import { SimilarJobs } from './SimilarJobs'

const job = (n: number) => ({
  ...{
    case: `c${n}`,
    title: `job ${n}`,
    headline: null,
    severity: 'high',
    created_at: '2026-11-20T09:14:00Z',
  },
  ...{
    same_user: true,
    same_application: false,
    same_cause: false,
    ticket: null,
    reference: null,
    advised: null,
  },
  ...{ verdict: null, factor: null, factor_most: null },
})

it('says how many more jobs are like this one, and shows them', async () => {
  serve({
    'GET /api/v1/cases/c/similar': [
      { ...job(0), ticket: 7, reference: 'RT-4107' },
      { ...job(1), ticket: 8 },
      ...Array.from({ length: 6 }, (_, n) => job(n + 2)),
    ],
  })
  const root = createRootRoute({ component: () => <SimilarJobs caseId="c" ticket={1} /> })
  render(
    <QueryClientProvider client={newQueries({})}>
      <RouterProvider router={createRouter({ routeTree: root, history: createMemoryHistory() })} />
    </QueryClientProvider>,
  )
  await userEvent.click(await screen.findByRole('button', { name: '3 more' }))
  expect(screen.getByRole('link', { name: 'RT-4107' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'ticket 8' })).toBeVisible()
  expect(screen.getAllByRole('listitem')).toHaveLength(8)
  await userEvent.click(screen.getByRole('button', { name: 'fewer' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(5)
})
