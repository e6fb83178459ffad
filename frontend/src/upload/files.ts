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
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))]
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

/** Pasted text as a file, named so that it can be told from others in the case. */
export function pasted(text: string): File {
  return new File([text], 'pasted-text.txt', { type: 'text/plain' })
}
