/** Every figure that a case has, to be found by what somebody calls it. */
import type { CaseDocument } from '../analysis/caseDocument'
import type { Metric } from '../api/types'

export interface Figure {
  readonly metric: Metric
  /** The files that it is of, by the name of their group; null of the job. */
  readonly files: string | null
  /** Of no other: groups may have one name, where the same folder has them both. */
  readonly key: string
}

/** What a job does as a whole: who asks for its speed wants its bandwidth before that of a file which one rank uses. */
const OF_ALL = /^(?:job|io)\./
const wholeFirst = (a: Metric, b: Metric) => Number(OF_ALL.test(b.id)) - Number(OF_ALL.test(a.id))

/** Those of the job, then what groups of files have of their own. A document has the titles of what its findings rest on, the
 * server those of all. */
export function figuresOf(
  { metrics, groups }: Pick<CaseDocument, 'metrics' | 'groups'>,
  titles: Readonly<Record<string, string>>,
): Figure[] {
  const titled = (metric: Metric) => ({ ...metric, title: titles[metric.id] ?? metric.title })
  return [
    ...Object.values(metrics)
      .toSorted(wholeFirst)
      .map((metric) => ({
        metric: titled(metric),
        files: null,
        key: metric.id,
      })),
    ...groups.flatMap(({ id, label, metrics: own }) =>
      Object.values(own)
        .filter((metric) => metric !== metrics[metric.id])
        .map((metric) => ({ metric: titled(metric), files: label, key: `${metric.id} ${id}` })),
    ),
  ]
}

export const isKnown = ({ metric }: Figure): boolean => metric.value !== null

/** What people say for one another, and for what the titles have. */
const ALIKE: readonly (readonly string[])[] = [
  ['bandwidth', 'rate', 'speed', 'throughput', 'fast'],
  ['time', 'seconds', 'duration', 'latency', 'long'],
  ['slowest', 'slow', 'straggler', 'longest'],
  ['imbalance', 'imbalanced', 'balance', 'unbalanced', 'skew', 'uneven', 'busiest'],
  ['bytes', 'data', 'volume', 'amount'],
  ['share', 'fraction', 'percentage', 'ratio'],
  ['size', 'small', 'large', 'block'],
  ['stripe', 'ost', 'target', 'disk', 'layout'],
  ['metadata', 'open', 'stat', 'close', 'inode'],
  ['collective', 'together', 'aggregator'],
  ['misaligned', 'unaligned', 'aligned', 'alignment', 'offset'],
  ['ranks', 'processes', 'tasks'],
  ['run time', 'runtime', 'walltime', 'elapsed'],
  ['nonblocking', 'non-blocking', 'asynchronous'],
]
/** Fewer letters begin too many words. */
const BEGINS = 3

/** What a word, or one of which it is the plural, may also be called; empty where it stands for itself. */
export function alsoCalled(word: string): readonly string[] {
  const begun = (other: string) =>
    other === word || `${other}s` === word || (word.length >= BEGINS && other.startsWith(word))
  return ALIKE.find((group) => group.some(begun))?.filter((other) => !other.startsWith(word)) ?? []
}

const wordsOf = (words: string): readonly string[] => words.toLowerCase().split(/\s+/).filter(Boolean)

/** What its words begin with: "rate" is in no "separate". */
const beginsIn = ({ metric, files }: Figure, word: string): boolean =>
  ` ${metric.title} ${metric.id} ${metric.id.replaceAll(/[._]/g, ' ')} ${files ?? ''}`
    .toLowerCase()
    .includes(` ${word}`)

/** Those that have every word come first; then those that have it by another name. */
export function found(figures: readonly Figure[], words: string): Figure[] {
  const asked = wordsOf(words)
  const names = asked.map((word) => [word, ...alsoCalled(word)])
  const has = (figure: Figure, each: (name: readonly string[]) => readonly string[]) =>
    names.every((name) => each(name).some((one) => beginsIn(figure, one)))
  const exactly = figures.filter((figure) => has(figure, (name) => name.slice(0, 1)))
  const chosen = new Set(exactly)
  return [...exactly, ...figures.filter((figure) => !chosen.has(figure) && has(figure, (name) => name))]
}

/** Words that no figure has, each with those by which figures are found in its place. */
export function unnamed(
  figures: readonly Figure[],
  words: string,
): { readonly word: string; readonly by: readonly string[] }[] {
  const isNamed = (word: string) => figures.some((figure) => beginsIn(figure, word))
  return wordsOf(words)
    .filter((word) => !isNamed(word))
    .map((word) => ({ word, by: alsoCalled(word).filter(isNamed) }))
    .filter(({ by }) => by.length > 0)
}
