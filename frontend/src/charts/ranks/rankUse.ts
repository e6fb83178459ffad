import type { CaseDocument } from '../../analysis/caseDocument'
import { baseName } from '../../format'
import { layerInWords } from '../frame/words/rankWords'

export type Use = NonNullable<CaseDocument['charts']['ranks']>
export type Series = Use['series'][number]
export type Reduced = Use['reduced'][number]

export const nameOf = (file: Reduced) => baseName(file.file)

/** Who takes longest at one layer need not be the job's slowest rank. */
export const longestOf = ({ layer, slowest }: Series, ofJob: number | null) =>
  slowest?.rank === ofJob ? 'the slowest' : `longest at ${layerInWords(layer)}`
