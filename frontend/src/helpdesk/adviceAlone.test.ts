import { expect, it } from 'vitest'
import { adviceAlone } from './adviceAlone'

it.each([
  ['Write large blocks. When the file is opened:', 'Write large blocks.'],
  ['Write less. In out.h5, as it is opened:', 'Write less.'],
  ['The run without it:', 'The run without it.'],
  ['Stripe it: over all OSTs. Then run again.', 'Stripe it: over all OSTs. Then run again.'],
])('leads to no lines that are not there: %s', (advice, alone) => expect(adviceAlone(advice)).toBe(alone))
