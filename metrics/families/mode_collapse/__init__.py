"""mode-collapse: does a model keep choosing the same thing? Gini and entropy per tree level and parent."""
