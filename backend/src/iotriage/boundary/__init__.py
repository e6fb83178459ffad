"""Serialisation between processes that do not trust one another: bytes that can only be data.

A process that reads a stranger's file may have been taken over by it. What it sends is decoded by a schema that follows
from the types of what is expected (`codec`), so that a lie in it is at worst a wrong figure of its own source: no name
is looked up, no code is called, and numbers, names and lengths are bounded before anything is made of them.
"""
