/** The last part of a path that has a name: the root object of a DAOS container is "/". */
export const fileName = (path: string): string => path.split('/').findLast(Boolean) ?? path
