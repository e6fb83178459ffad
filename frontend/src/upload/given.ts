const given = new Set<string>()

/** Remembers that this case was just made of files that a person gave on this page. */
export const noteGiven = (caseId: string) => given.add(caseId)

/** Whether it was; and no longer, from now on. */
export const wasGiven = (caseId: string): boolean => given.delete(caseId)

/** Whether it was, and is still not looked at. */
export const isGiven = (caseId: string): boolean => given.has(caseId)
