import { expect, it } from 'vitest'
import { chosenOf, inAddress, opensOn, stopsOf, type WhatIf } from './chosen'
import { outcome, reasons, STEPS, settingWords, stepOf, stopAt, tickWords } from './stops'

const choice = (value: number, alike_s: number | null, documented = true) => ({
  value,
  documented,
  rate: 1e9,
  most_rate: 2 ** 30,
  least_s: 10,
  alike_s,
  most_s: 60,
  script: 'lines',
})

const stripes: WhatIf = {
  quantity: 'stripe_count',
  group: 'g1',
  name: 'out.dat',
  direction: 'write',
  bytes_moved: 1e10,
  now: 4,
  now_s: 60,
  documented_now: 5e8,
  fraction: 0.5,
  choices: [choice(8, 40, false), choice(48, 20)],
  site_title: 'ARCHER',
  file_system_title: 'fs3',
  retired: true,
  document: 'archer-bpg',
  section: 'SSF',
  measured: 'on fs3',
  cost: null,
}
const sizes: WhatIf = { ...stripes, quantity: 'stripe_size', now: 2 ** 20, choices: [choice(2 ** 23, 58)] }

it('stands among its choices by value', () =>
  expect(stopsOf(stripes).map((stop) => [stop.value, stop.choice !== null])).toEqual([
    [4, false],
    [8, true],
    [48, true],
  ]))

it('has its stops where the logarithmic axis has them, and goes to the next by a key, to the nearest by a pointer', () => {
  const stops = stopsOf({ ...stripes, choices: [choice(8, 40), choice(64, 20)] })
  expect(stops.map(({ value }) => stepOf(stops, value))).toEqual([0, STEPS / 4, STEPS])
  expect(stopAt(stops, 8, STEPS / 4 + 10, false)).toBe(64)
  expect(stopAt(stops, 8, STEPS / 4 + 10, true)).toBe(8)
  expect(stopAt(stops, 8, STEPS / 4 - 10, false)).toBe(4)
  expect(stopAt(stops, 64, 0, false)).toBe(4)
  expect(stopAt(stops, 64, STEPS, false)).toBe(64)
  expect(stopsOf({ ...stripes, choices: [] }).map(({ value }, _, all) => stepOf(all, value))).toEqual([0])
})

it('opens on the measured choice that takes least, and on the first setting that changes much', () => {
  expect(opensOn({ ...stripes, choices: [choice(8, 10, false), choice(48, 20)] })).toBe(48)
  expect(chosenOf([sizes, stripes], undefined)).toEqual({ one: stripes, value: 48 })
})

it('asks nothing by itself where each choice would make the job slower', () => {
  expect(chosenOf([sizes], undefined)).toBeNull()
  expect(chosenOf([sizes], inAddress(sizes, 2 ** 23))).toEqual({ one: sizes, value: 2 ** 23 })
})

it('is what the address says, where that is one of its stops', () => {
  expect(chosenOf([sizes, stripes], inAddress(stripes, 8))).toEqual({ one: stripes, value: 8 })
  expect(chosenOf([sizes, stripes], 'stripe_count,g1,write,9')).toEqual({ one: stripes, value: 48 })
  expect(chosenOf([], 'stripe_count,g1,write,8')).toBeNull()
})

it('says the bounds and what each stands on', () => {
  const [, second] = stripes.choices
  if (!second) throw new Error('no second choice')
  expect(outcome(stripes, second).replaceAll('\u202f', ' ')).toBe(
    'With 48 stripes it would take 10.0 s to 60.0 s, and could save up to 50.0 s; writing out.dat takes 60.0 s now, with 4 stripes.',
  )
  const saves = (least_s: number, most_s: number) =>
    outcome(stripes, { ...second, least_s, most_s }).replaceAll('\u202f', ' ')
  expect(saves(10, 45)).toContain('10.0 s to 45.0 s, and could save 15.0 s to 50.0 s;')
  expect(saves(70, 90)).toContain('70.0 s to 90.0 s; writing')
  const said = reasons(stripes, second).map((words) => words.replaceAll('\u202f', ' '))
  expect(said).toEqual([
    '10.0 s if it reached 1.00 GiB/s, the most documented for it.',
    '20.0 s if it stays at 50 % of the documented rate, as now.',
    'As long as now if this setting is not what takes the time.',
  ])
  expect(reasons(stripes, choice(1, null))[1]).toMatch(/no figure for its own setting/)
})

it('says the size of a stripe as it was chosen, and that of a transfer as it was measured', () => {
  expect(settingWords('stripe_size', 2 ** 20)).toBe('stripes of 1\u202fMiB')
  expect(tickWords('stripe_size', 2 ** 20)).toBe('1\u202fMiB')
  expect(settingWords('transfer_size', 1_000_000)).toBe('transfers of 977\u202fKiB')
})
