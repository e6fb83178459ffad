"""What a centre wants to know of a day, from its warehouse: a section for each question, as data, text or JSON."""
