/** Advice where its lines do not stand: without the sentence that leads to them. */
export const adviceAlone = (advice: string): string =>
  advice.replace(/(?<=[.!?])\s(?:(?![.!?]\s).)*:$/, '').replace(/:$/, '.')
