import { describe, expect, it } from 'vitest'
import { largeJob } from '../../../fixtures/documents'
import { aboutRanks } from '../../../format'
import { busiestWords, haveMost, moversWords, slowestWords } from './rankWords'

const [series] = largeJob.charts.ranks?.series ?? []
if (!series) throw new Error('the fixture has no ranks')
const plain = (text: string) => text.replaceAll('\u202f', ' ')
const uneven = {
  ...series,
  ranks: 1024,
  active: 1024,
  movers: 103.84,
  total_bytes: 1024 ** 3,
  busiest: { ...series.busiest, rank: 20, bytes_read: 0, bytes_written: 64 * 1024 ** 2 },
}

describe('ranks that move bytes', () => {
  it('says of a count that is worked out that it is about, also of a large one', () => {
    expect([1, 1.00002, 1.4, 11.7, 103.84, 56.008, 7.999999].map(aboutRanks)).toEqual([
      '1',
      '1',
      '1.4',
      'about 12',
      'about 104',
      'about 56',
      '8',
    ])
  })
  it('calls the bytes of some ranks most of them where others move some too', () => {
    expect(plain(busiestWords(uneven))).toBe(
      'about 104 of 1,024 ranks move most of the bytes, rank 20 alone 64.0 MiB, 64 times the mean',
    )
    expect(haveMost({ movers: 2, active: 2, ranks: 8 })).toBe(false)
    expect(haveMost({ movers: 40.9, active: null, ranks: 1024 })).toBe(true)
    expect(haveMost({ movers: 7.7, active: null, ranks: 8 })).toBe(false)
    expect(moversWords({ movers: 7.7, ranks: 8 })).toBe('all 8 ranks')
    expect(moversWords({ movers: 2, ranks: 2 })).toBe('both ranks')
  })
  it('names a rank that has nearly all alone, whatever few bytes the others have', () => {
    const busy = (bytes: number) => ({ ...uneven.busiest, bytes_written: bytes })
    const few = { ...uneven, ranks: 8, active: 8, movers: 5.96, total_bytes: 4 * 1024 ** 3 }
    expect(plain(busiestWords({ ...few, busiest: busy(3.89 * 1024 ** 3) }))).toBe(
      'rank 20 moves 3.89 GiB of 4.00 GiB, 7.78 times the mean',
    )
    expect(plain(busiestWords({ ...few, busiest: busy(2 * 1024 ** 3) }))).toBe(
      'about 6 of 8 ranks move most of the bytes, rank 20 alone 2.00 GiB, 4 times the mean',
    )
  })
  it('counts the ranks that missing records show, and forms no share of them', () => {
    const cut = { ...uneven, partial: true, ranks: 8, active: 4, movers: 3.48 }
    expect(plain(busiestWords(cut))).toBe('at least 4 of 8 ranks move bytes, and rank 20 most: 64.0 MiB')
    expect(plain(busiestWords({ ...cut, active: 1, movers: 1 }))).toBe(
      'rank 20 moves at least 1.00 GiB; of others nothing is recorded',
    )
  })
  it('says of which layer the seconds of the slowest rank are', () => {
    const slow = { ...series.busiest, rank: 3, read_s: null, write_s: 12, metadata_s: null }
    const timed = { ...uneven, layer: 'STDIO' as const, basis: 'records' as const, slowest: slow, mean_s: 4 }
    expect(plain(slowestWords(timed, 3))).toBe(
      'Rank 3, the slowest of the job, takes 12.0 s in STDIO calls, 3 times the mean.',
    )
    expect(plain(slowestWords(timed, 9))).toBe(
      'Rank 3 takes longest in STDIO calls: 12.0 s, 3 times the mean.',
    )
    expect(plain(slowestWords({ ...timed, movers: 1 }, 9))).toBe(
      'Rank 3 takes longest in STDIO calls: 12.0 s.',
    )
    expect(plain(slowestWords({ ...timed, ranks: 1, mean_s: 12 }, 3))).toBe('It takes 12.0 s in STDIO calls.')
  })
})
