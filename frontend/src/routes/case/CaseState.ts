import { createContext, useContext } from 'react'
import type { Finding } from '../../analysis/caseDocument'
import type { Thresholds } from '../../analysis/evaluate'
import type { CaseView } from '../../api/types'
import type { Sorted } from '../../findings/keys'

/** What the case's own page shares with its views, beside what `useCase` gives to every part. */
export interface CaseState {
  readonly view: CaseView
  readonly sorted: Sorted
  /** Key of the finding that was opened last. */
  readonly current: string | null
  /** The finding whose thresholds stand beside. */
  readonly focused: Finding | null
  readonly site: {
    readonly id: string
    readonly all: readonly { readonly id: string; readonly title: string }[]
    readonly choose: (id: string) => void
    readonly note: string
  }
  /** All of a person's own numbers at once; the others go back to the site and the documents. */
  readonly chooseThresholds: (own: Thresholds) => void
}

const Context = createContext<CaseState | null>(null)

export const CaseStateProvider = Context.Provider

export function useCaseState(): CaseState {
  const state = useContext(Context)
  if (!state) throw new Error('A view of a case stands outside of its page.')
  return state
}
