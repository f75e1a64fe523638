"""Words, languages and the longest common subsequence."""
