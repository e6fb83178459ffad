const given = new Set<string>()

/** Remembers that this case was just made of files that a person gave on this page. */
export const noteUploaded = (caseId: string) => given.add(caseId)

/** Whether it was; and no longer, from now on. */
export const takeUploaded = (caseId: string): boolean => given.delete(caseId)

/** Whether it was, and is still not looked at. */
export const isJustUploaded = (caseId: string): boolean => given.has(caseId)
