import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { CaseDocument } from '../analysis/caseDocument'
import { largeJob, recordOverflow } from '../fixtures/documents'
import { textOf } from '../test/text'
import { CHARTS } from './all'
import { LinkedProvider } from './frame/linked'

const LOWER_BOUNDS = 'Records are missing: these are lower bounds.'
const { metrics, charts } = recordOverflow
const ofTargets: CaseDocument = { ...largeJob, metrics, charts: { ...charts, osts: largeJob.charts.osts } }

it.each([
  ['access-order', recordOverflow, ['At POSIX, as far as it is recorded, ', 'at least 2,048', LOWER_BOUNDS]],
  ['size-butterfly', recordOverflow, [' recorded accesses are ', ', lower bounds']],
  ['ost-use', ofTargets, [LOWER_BOUNDS]],
] as const)('%s says that what is recorded is not all', (id, document, said) => {
  const chart = CHARTS.find((one) => one.id === id)
  if (!chart) throw new Error(`No chart ${id}`)
  const { container } = render(
    <LinkedProvider>
      <chart.Drawing document={document} />
    </LinkedProvider>,
  )
  for (const words of said) expect(textOf(container)).toContain(words)
})
