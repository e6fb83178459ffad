import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { me } from '../../test/me'
import { INFO, open, serve } from '../../test/router'

const THRESHOLD = {
  id: 'small-io.fraction',
  title: 'Share',
  unit: 'share',
  default: 0.5,
  minimum: 0,
  maximum: 1,
}
const SITE = { id: 'archer2', title: 'ARCHER2 (EPCC)', version: '1', checked: '2026-11-01', thresholds: [] }

it('a number of one of the rules is kept with its reason, for the site that is chosen', async () => {
  const asked = serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me({ role: 'admin' }),
    'GET /api/v1/rules': [{ id: 'small-io', thresholds: [THRESHOLD] }],
    'GET /api/v1/sites': [{ ...SITE, id: 'generic', title: 'Any system' }, SITE],
    'GET /api/v1/own-profiles': { not_kept: null, profiles: [] },
    'GET /api/v1/keeping': { site: null, kept: [] },
    'GET /api/v1/audit': [],
    'PUT /api/v1/sites/archer2/thresholds/small-io.fraction': {},
  })
  open('/administration')
  const site = await screen.findByLabelText('Site')
  await within(site).findByRole('option', { name: SITE.title })
  await userEvent.selectOptions(site, 'archer2')
  await userEvent.selectOptions(screen.getByLabelText('Threshold'), 'small-io.fraction')
  await userEvent.type(screen.getByLabelText(/^Number/), '0.25')
  await userEvent.type(screen.getByLabelText('Why this number'), 'half our jobs')
  await userEvent.click(screen.getByRole('button', { name: /^Keep 25/ }))
  expect(await screen.findByText(/^25.% is in the profile of archer2/)).toBeVisible()
  const put = asked.find((request) => request.method === 'PUT')
  expect(await put?.json()).toEqual({ value: 0.25, why: 'half our jobs', says: "The centre's own number." })
})

it.each([
  [{ scale: 'log', minimum: 0.1, maximum: 10 }, 'Number, 0.1 to 10, or 0', '0'],
  [{ scale: 'linear', minimum: 0.1, maximum: 1 }, 'Number, 0.1 to 1', '0.1'],
])('a number may be what the server takes: %o', async (range, label, least) => {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me({ role: 'admin' }),
    'GET /api/v1/rules': [{ id: 'small-io', thresholds: [{ ...THRESHOLD, ...range }] }],
    'GET /api/v1/sites': [SITE],
    'GET /api/v1/own-profiles': { not_kept: null, profiles: [] },
    'GET /api/v1/keeping': { site: null, kept: [] },
    'GET /api/v1/audit': [],
  })
  open('/administration')
  const chosen = await screen.findByLabelText('Threshold')
  await within(chosen).findByRole('option', { name: 'small-io.fraction' })
  await userEvent.selectOptions(chosen, 'small-io.fraction')
  expect(screen.getByLabelText(label)).toHaveAttribute('min', least)
})
