import { format } from '../format'

/** What a time of a log that lacks records is said with. */
const AT_LEAST = 'at least'

/** The time in I/O as the case's page says it: "at least 3.80 s". */
export const ioTimeWords = ({
  io_time_s,
  io_time_bound,
}: {
  io_time_s: number | null
  io_time_bound: string
}): string => `${io_time_bound && `${io_time_bound} `}${format(io_time_s ?? 0, 's')}`

/** Said before what is lost: what a finding takes of a log that lacks records is no less than that. */
export const boundOfLost = ({ io_time_bound }: { io_time_bound: string }): string =>
  io_time_bound === AT_LEAST ? `${AT_LEAST} ` : ''
