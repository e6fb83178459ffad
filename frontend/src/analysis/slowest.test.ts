import { expect, it } from 'vitest'
import { independentSmall, recordOverflow, tunedRun } from '../fixtures/documents'
import { boundOfIoTime, boundsOfRate } from './slowest'

it.each([
  ['of a log that lacks records', recordOverflow, 'at least', ['', ' in what is recorded']],
  ['of a whole one', independentSmall, null, ['', '']],
  ['of one that does not say whose seconds add up', tunedRun, 'at most', ['at least ', '']],
])('%s the time is a bound, and so is the rate', (_, document, time, rate) => {
  expect([boundOfIoTime(document), boundsOfRate(document)]).toEqual([time, rate])
})
