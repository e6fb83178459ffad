/** What 72 columns of a text's letters need. On less, its lines break in two: it is told as it reads. */
export const ROOM_FOR_THE_LINES = '(min-width: 40rem)'
