"""What schedulers say of a job beside its script: their commands' answers, their mails, and what they print behind its
output."""
