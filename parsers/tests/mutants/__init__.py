"""Damage and lies, by what each format is made of: `darshan`, `texts`, `archives`. Each mutant follows from a seed."""
