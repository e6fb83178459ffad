"""Rules about where the data lies: file systems, node-local disks, DVS."""
