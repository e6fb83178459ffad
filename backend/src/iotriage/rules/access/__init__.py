"""Rules about the accesses themselves: small, random, misaligned, repeated."""
