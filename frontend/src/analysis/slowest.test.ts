import { expect, it } from 'vitest'
import { independentSmall, recordOverflow } from '../fixtures/documents'
import { boundOfIoTime, ofWhichRate } from './slowest'

it.each([
  ['of a log that lacks records', recordOverflow, 'at least', ' in what is recorded'],
  ['of a whole one', independentSmall, null, ''],
])('%s the time is a bound, and the rate is that of what is recorded', (_, document, time, rate) => {
  expect([boundOfIoTime(document), ofWhichRate(document.metrics)]).toEqual([time, rate])
})
