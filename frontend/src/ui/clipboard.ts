/** The clipboard API is missing on plain HTTP; there the old command works, of what has the focus: within the panel that is
 * open, as nothing outside can have it. What was pressed need not have it: in Safari no button has. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const pressed = document.activeElement
    const area = document.createElement('textarea')
    area.value = text
    const place = document.querySelector('dialog[open]') ?? document.body
    place.append(area)
    area.select()
    const done = document.execCommand?.('copy') ?? false
    area.remove()
    if (pressed instanceof HTMLElement) pressed.focus({ preventScroll: true })
    return done
  }
}
