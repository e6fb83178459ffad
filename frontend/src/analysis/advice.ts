/** The text of a piece of advice, shown above its command. The same as `in_words` of `iotriage.rules.core.advice`. */
import type { Advice } from '../api/types'

export const inWords = ({ text, lead, withheld }: Pick<Advice, 'text' | 'lead' | 'withheld'>): string =>
  withheld === null ? [text, lead].filter(Boolean).join(' ') : `Not advised: ${text}, because ${withheld}.`
