/** Widths of labels before they are drawn: Inter at 11 and 12 px, rounded up, so that labels do not collide. */
export const textWidth = (text: string, size = 11): number => text.length * size * 0.56

export const fits = (text: string, room: number, size = 11): boolean => textWidth(text, size) <= room
