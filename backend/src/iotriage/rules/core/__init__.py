"""What a rule is, and what every rule is made of: conditions, thresholds, weight, words, documents."""
