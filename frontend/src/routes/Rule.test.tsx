import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { INFO, open, serve } from '../test/router'

Element.prototype.scrollIntoView = () => {}

const THETA = {
  key: 'theta-io',
  title: 'Parallel I/O on Theta',
  publisher: 'ALCF',
  systems: 'Theta',
  url: null,
  read_on: '2026-11-20',
}
const COURSE = { ...THETA, key: 'epcc-course', title: 'Parallel I/O course', read_on: '2026-11-22' }
const ALL = { kind: 'all_of', of: [] }
const RULE = {
  id: 'single-aggregator',
  title: 'One rank does all.',
  clear_title: '',
  scope: 'group',
  severity: 'high',
  confidence: 'measured',
  priority: 1,
  requires: ALL,
  condition: ALL,
  supports: [],
  thresholds: [],
  citations: [{ document: 'theta-io', section: 'Collectives' }],
  documents: [THETA],
  quotations: [],
  explains: [],
  explained_by: [],
  page: '',
}

it('has the document that its advice cites on some jobs, for who comes to read it', async () => {
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/rules/single-aggregator': RULE,
    'GET /api/v1/rules': [RULE],
    'GET /api/v1/sites': [],
    'GET /api/v1/documents': [
      { document: THETA, quotations: [] },
      {
        document: COURSE,
        quotations: [{ document: 'epcc-course', section: 'Settings', quotes: ['for collective writes'] }],
      },
    ],
  })
  open('/rules/single-aggregator#source-epcc-course')
  const sources = await screen.findByRole('region', { name: 'Sources' })
  expect(await within(sources).findByText('for collective writes')).toBeVisible()
  expect(within(sources).getByText('read on 2026-11-22')).toBeVisible()
  expect(within(sources).getByText('read on 2026-11-20')).toBeVisible()
})

it('tells a long way in which the condition may hold by what it begins with, and has the rest at hand', async () => {
  const compare = (metric: string) => ({
    kind: 'compare',
    metric,
    operator: '>=',
    threshold: `rule.${metric}`,
  })
  const way = (layer: string) => ({
    kind: 'all_of',
    of: [
      { kind: 'present', metric: 'io.layer' },
      { kind: 'is_one_of', metric: 'io.layer', words: [layer] },
      { kind: 'any_of', of: ['a', 'b', 'c', 'd', 'e'].map((metric) => compare(`${layer}.${metric}`)) },
    ],
  })
  const condition = { kind: 'any_of', of: [way('MPI-IO'), way('POSIX')] }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/rules/single-aggregator': { ...RULE, condition },
    'GET /api/v1/rules': [RULE],
    'GET /api/v1/sites': [],
  })
  open('/rules/single-aggregator')
  const tree = await screen.findByRole('region', { name: 'Condition' })
  const [first] = tree.getElementsByTagName('summary')
  if (!first) throw new Error('No way is folded.')
  expect(first).toHaveTextContent('io.layer is MPI-IO, and 5 more comparisons')
  expect(within(tree).getByText(/^MPI-IO\.e/)).not.toBeVisible()
  await userEvent.click(first)
  expect(within(tree).getByText(/^MPI-IO\.e/)).toBeVisible()
  expect(within(tree).queryByText(/is in the evidence/)).toBeNull()
})

it('says of missing records that nobody knows, and not that the condition holds', async () => {
  const compare = { kind: 'compare', metric: 'io.bytes', operator: '>=', threshold: 'rule.io.bytes' }
  const missing = { kind: 'is_one_of', metric: 'evidence.records_missing', words: ['yes'] }
  serve({
    'GET /api/v1/info': INFO,
    'GET /api/v1/rules/single-aggregator': { ...RULE, condition: { kind: 'any_of', of: [compare, missing] } },
    'GET /api/v1/rules': [RULE],
    'GET /api/v1/sites': [],
  })
  open('/rules/single-aggregator')
  const tree = await screen.findByRole('region', { name: 'Condition' })
  expect(tree).toHaveTextContent('or else nobody knows, where evidence.records_missing is absent')
  expect(tree).not.toHaveTextContent('is yes')
})
