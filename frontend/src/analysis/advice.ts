/** What a person reads of advice: the same as `in_words` of `iotriage.rules.core.advice`. */
import type { Advice } from '../api/types'

export const inWords = ({ text, withheld }: Pick<Advice, 'text' | 'withheld'>): string =>
  withheld === null ? text : `Not advised: ${text}, because ${withheld}.`
