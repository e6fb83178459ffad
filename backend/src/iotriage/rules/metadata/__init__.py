"""Rules about opens, syncs, directories and the metadata of libraries."""
