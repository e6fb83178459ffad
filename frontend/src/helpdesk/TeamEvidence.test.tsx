import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { me } from '../test/me'
import { INFO, open, serve } from '../test/router'

const RULE = {
  id: 'small-io',
  title: 'Many small accesses',
  severity: 'high',
  citations: [],
  thresholds: [],
  documents: [],
  page: '',
}
const RECORD = { rule: 'small-io', helped: 3, did_not_help: 1, unclear: 0, median_factor: 2 }

it.each([
  ['helpdesk', /^here, by reruns: helped 3 of 4/],
  ['user', /^by your reruns: helped 3 of 4/],
] as const)('what a %s is told of advice says whose reruns were counted', async (role, said) => {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/me': me({ role }),
    'GET /api/v1/rules': [RULE, { ...RULE, id: 'serial-io' }],
    'GET /api/v1/sites': [],
    'GET /api/v1/outcomes': [RECORD],
  })
  open('/rules')
  expect(await screen.findByText(said)).toBeVisible()
  expect(screen.getAllByText(/by .*reruns/)).toHaveLength(1)
})
