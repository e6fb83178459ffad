/** The field's terms, as sentences have them; `explanations.ts` has what they mean. */
export interface GlossaryTerm {
  readonly id: TermId
  readonly term: string
  /** Other forms in which sentences have it; matched as whole words, in any case. */
  readonly forms: readonly string[]
}

const TERMS = [
  { id: 'aggregator', term: 'aggregator', forms: ['aggregators', 'aggregates'] },
  { id: 'effective-aggregators', term: 'effective aggregators', forms: ['effective ranks'] },
  { id: 'collective', term: 'collective', forms: ['collectively'] },
  { id: 'independent', term: 'independent', forms: ['independently'] },
  { id: 'collective-buffering', term: 'collective buffering', forms: ['two-phase I/O'] },
  { id: 'data-sieving', term: 'data sieving', forms: ['sieving'] },
  { id: 'read-modify-write', term: 'read-modify-write', forms: ['RMW', 'read-modify-writes'] },
  { id: 'stripe', term: 'stripe', forms: ['stripes', 'striping', 'striped', 'stripe size', 'stripe count'] },
  { id: 'ost', term: 'OST', forms: ['OSTs', 'object storage target', 'storage target', 'storage targets'] },
  { id: 'mdt', term: 'MDT', forms: ['MDTs', 'metadata server'] },
  { id: 'dxt', term: 'DXT', forms: ['trace of calls'] },
  { id: 'heatmap', term: 'HEATMAP', forms: [] },
  {
    id: 'reduced',
    term: 'reduced record',
    forms: ['reduced records', 'record that Darshan reduced', 'reduced over all ranks'],
  },
  { id: 'consecutive', term: 'consecutive', forms: [] },
  { id: 'subfiling', term: 'subfiling', forms: [] },
  { id: 'file-per-process', term: 'file per process', forms: ['file-per-process'] },
  { id: 'shared-file', term: 'shared file', forms: ['single shared file', 'shared files'] },
  { id: 'write-amplification', term: 'write amplification', forms: ['amplification'] },
  { id: 'straggler', term: 'straggler', forms: ['stragglers', 'slowest rank'] },
  { id: 'hints', term: 'hint', forms: ['hints'] },
  { id: 'portrait', term: 'portrait', forms: [] },
] as const

export type TermId = (typeof TERMS)[number]['id']

export const GLOSSARY: readonly GlossaryTerm[] = TERMS

/** Every form, the longest first, so that "effective aggregators" is found before "aggregators". */
const BY_FORM = new Map(GLOSSARY.flatMap((t) => [t.term, ...t.forms].map((form) => [form.toLowerCase(), t])))
const FORMS = [...BY_FORM.keys()].sort((a, b) => b.length - a.length)
const PATTERN = new RegExp(`(?<![\\w/.-])(${FORMS.map(escaped).join('|')})(?![\\w/-])`, 'gi')

function escaped(text: string): string {
  return text.replace(/[/-]/g, '\\$&')
}

export interface Piece {
  readonly text: string
  readonly term: GlossaryTerm | null
}

/** The sentence split at the first mention of each term; later mentions stay plain text. */
export function termsIn(sentence: string): Piece[] {
  const pieces: Piece[] = []
  const seen = new Set<string>()
  let from = 0
  for (const match of sentence.matchAll(PATTERN)) {
    const term = BY_FORM.get(match[0].toLowerCase())
    if (!term || seen.has(term.id)) continue
    seen.add(term.id)
    if (match.index > from) pieces.push({ text: sentence.slice(from, match.index), term: null })
    pieces.push({ text: match[0], term })
    from = match.index + match[0].length
  }
  if (from < sentence.length) pieces.push({ text: sentence.slice(from), term: null })
  return pieces
}
