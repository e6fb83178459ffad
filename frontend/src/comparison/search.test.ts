import { describe, expect, it } from 'vitest'
import { idsOf, MOST_CASES, toggled, validateCompareSearch } from './search'

describe('the address of a comparison', () => {
  it('keeps ids in their order, and drops what is none', () => {
    expect(validateCompareSearch({ cases: 'b1,a2', other: 'x' })).toEqual({ cases: 'b1,a2' })
    expect(validateCompareSearch({ cases: '../etc', choose: '1' })).toEqual({ choose: true })
    expect(validateCompareSearch({ cases: 'a,,b' })).toEqual({})
  })

  it('carries by whose numbers the runs are decided, also while others are chosen', () => {
    const own = validateCompareSearch({ cases: 'a', site: 'archer2', set: 'small-io.fraction:0.2,broken' })
    expect(own).toEqual({ cases: 'a', site: 'archer2', set: { 'small-io.fraction': 0.2 } })
    expect(toggled(own, 'b')).toEqual({ ...own, cases: 'a,b' })
  })

  it('adds a case at the end, takes it out again, and never has more than the server takes', () => {
    const one = toggled({ choose: true }, 'a')
    const two = toggled(one, 'b')
    expect(two).toEqual({ choose: true, cases: 'a,b' })
    expect(toggled(two, 'a')).toEqual({ choose: true, cases: 'b' })
    expect(toggled(one, 'a')).toEqual({ choose: true })
    const full = Array.from({ length: MOST_CASES + 1 }, (_, i) => `c${i}`).reduce(toggled, {})
    expect(idsOf(full)).toHaveLength(MOST_CASES)
  })

  it('asks for the runs within a case only while it is the only one', () => {
    expect(toggled({ cases: 'a', within: true }, 'b')).toEqual({ cases: 'a,b' })
  })
})
