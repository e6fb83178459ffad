"""Rules about who writes: collective calls, aggregators, one rank for all."""
