"""What people of a helpdesk work with: the queue and its tickets, the order of triage, replies, what was advised in
jobs like this one and what became of it.

Functions take the session they work in, and who asks as `Person.id`. What is listed was copied from the documents when
they were stored (`iotriage.store.case_facts`, `iotriage.store.queue_entries`): none is parsed to list or to find.
"""
