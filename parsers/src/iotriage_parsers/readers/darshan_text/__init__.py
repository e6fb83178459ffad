"""The texts of Darshan's own tools: what darshan-parser and darshan-dxt-parser print of a log, versions 2.x and 3.x.

Both begin with the same header, so one machine reads them; the readers are in `darshan_parser_text` and
`darshan_dxt_text`.
"""
