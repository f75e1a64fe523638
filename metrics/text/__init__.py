"""Texts: tokenizers, scripts and languages, common subsequences and their kernel, ROUGE-L, TF-IDF."""
