import { createContext, useContext } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import type { Setting } from '../analysis/thresholds'
import type { DocumentRef, Where } from '../api/types'

/** What the parts of a case page have in common. */
export interface CaseContext {
  readonly caseId: string
  /** The document as decided under the thresholds in force. */
  readonly document: CaseDocument
  readonly settings: ReadonlyMap<string, Setting>
  /** What is cited, by key. */
  readonly cited: ReadonlyMap<string, DocumentRef>
  readonly isOpen: (key: string) => boolean
  readonly toggle: (key: string) => void
  /** Opens the evidence panel on a line or a counter. */
  readonly show: (where: Where) => void
  readonly moveThreshold: (id: string, value: number | null) => void
}

const Context = createContext<CaseContext | null>(null)

export const CaseProvider = Context.Provider

/** The id of the case; null outside a case, as in the gallery. */
export const useCaseId = (): string | null => useContext(Context)?.caseId ?? null

export function useCase(): CaseContext {
  const context = useContext(Context)
  if (!context) throw new Error('A part of the case page stands outside of one.')
  return context
}
