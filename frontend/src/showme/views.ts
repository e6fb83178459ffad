import { EXPORTED_CASE, HOLDS_TIMELINE } from '../api/embedded'

/** The views that the steps may go to: an exported page has no evidence, and a timeline only where it carries one. */
export interface Views {
  readonly timeline: boolean
  readonly evidence: boolean
}

export const EVERY_VIEW: Views = { timeline: true, evidence: true }

export const HERE: Views = EXPORTED_CASE === null ? EVERY_VIEW : { timeline: HOLDS_TIMELINE, evidence: false }
