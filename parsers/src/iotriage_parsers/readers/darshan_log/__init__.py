"""Darshan 3.x logs (formats 3.00 to 3.41): a bounds-checked, vectorised reader without libdarshan or pandas.

`reader.read` gives one `DarshanLog`.
"""

from iotriage_parsers.reader import Reader
from iotriage_parsers.readers.darshan_log.container import recognises
from iotriage_parsers.readers.darshan_log.read import READER_ID, read

reader = Reader(id=READER_ID, title="Darshan log", recognises=recognises, read=read)
