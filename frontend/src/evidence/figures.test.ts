import { describe, expect, it } from 'vitest'
import type { Metric } from '../api/types'
import { independentSmall } from '../fixtures/documents'
import { alsoCalled, figuresOf, found, isKnown, unnamed } from './figures'

const figures = figuresOf(independentSmall, {
  'io.read_bandwidth': 'Read bandwidth',
  'job.runtime': 'Run time',
})
const titles = (words: string) => found(figures.filter(isKnown), words).map(({ metric }) => metric.title)

describe('figures', () => {
  it('are all of the job and of its files', () => {
    expect(figures.length).toBeGreaterThan(Object.keys(independentSmall.metrics).length)
    const ofFiles = figures.filter(({ files }) => files !== null)
    expect(ofFiles.length).toBeGreaterThan(0)
    expect(ofFiles.length).toBeLessThan(200)
  })
  it('are each one of its own, where two groups are called the same too', () => {
    const [group] = independentSmall.groups
    if (!group) throw new Error('The fixture has no groups')
    const twice = { ...independentSmall, groups: [group, { ...group, id: 'another' }] }
    const keys = figuresOf(twice, {}).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
  it('are found by words of their title or id, in any order', () => {
    expect(titles('write average')).toContain('Average MPI-IO write')
    expect(titles('io.bandwidth')).toContain('Bandwidth')
    expect(titles('no such thing')).toEqual([])
  })
  it.each([
    ['speed', 'Bandwidth'],
    ['throughput', 'Bandwidth'],
    ['how-long', null],
    ['speeds', 'Bandwidth'],
    ['unaligned', 'POSIX accesses not aligned in the file'],
    ['elapsed', 'Run time'],
    ['duration slowest', 'I/O time of the slowest rank'],
  ])('are found by what they are called elsewhere: %s', (words, title) => {
    if (title === null) expect(titles(words)).toEqual([])
    else expect(titles(words)).toContain(title)
  })
  it('have those first that are named so', () => {
    const [first] = titles('bandwidth')
    expect(first).toMatch(/bandwidth/i)
    // What the job does as a whole stands before what a file or a rank of it does.
    const ranked = {
      ...independentSmall.metrics['io.bandwidth'],
      id: 'balance.alone_rate',
      title: 'Rate of a file',
    }
    const metrics = { 'balance.alone_rate': ranked as Metric, ...independentSmall.metrics }
    const all = figuresOf({ metrics, groups: [] }, {})
    expect(found(all, 'speed')[0]?.metric.id).toBe('io.bandwidth')
  })
  it('say which word stands for others', () => {
    expect(unnamed(figures, 'throughput write')).toEqual([{ word: 'throughput', by: ['bandwidth', 'rate'] }])
    expect(alsoCalled('throughput')).toContain('bandwidth')
    expect(alsoCalled('mpi')).toEqual([])
    expect(unnamed(figures, 'bandwidth')).toEqual([])
  })
})
