/** Where in a dropped folder a file lies; a chosen folder's files say it themselves. */
const places = new WeakMap<File, string>()

/** The file's name, and before it the folders that were given: which of them it lies in tells jobs apart. */
export const nameOf = (file: File): string => places.get(file) ?? (file.webkitRelativePath || file.name)

const BY_NUMBERS = new Intl.Collator('en', { numeric: true })

/** As a person counts: what ends in 2 before what ends in 10. Browsers and folders give them letter by letter, or as it comes. */
export const inOrder = (files: readonly File[]): readonly File[] =>
  files.toSorted((a, b) => BY_NUMBERS.compare(nameOf(a), nameOf(b)))

/** The files of a drop, folders looked through. What cannot be looked into is given as the browser names it. */
export async function filesOf(transfer: DataTransfer): Promise<readonly File[]> {
  // A transfer is emptied when its event has been handled.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
  const plain = [...transfer.files]
  if (entries.length === 0) return plain
  try {
    return (await Promise.all(entries.map(walk))).flat()
  } catch {
    return plain
  }
}

/** A browser gives a folder's entries in portions, and an empty one at the end. */
async function walk(entry: FileSystemEntry): Promise<File[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    if (entry.fullPath) places.set(file, entry.fullPath.replace(/^\//, ''))
    return [file]
  }
  if (!isFolder(entry)) return []
  const reader = entry.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (portion.length === 0) break
    all.push(...portion)
  }
  return (await Promise.all(all.map(walk))).flat()
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

/** Pasted text as a file, named so that it can be told from others in the case. Its last line is whole: of one without an
 * end, readers cannot tell. */
export function pasted(text: string): File {
  return new File([text.endsWith('\n') ? text : `${text}\n`], 'pasted-text.txt', { type: 'text/plain' })
}
