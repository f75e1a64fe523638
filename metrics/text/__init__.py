"""Texts: tokenizers, scripts and languages, common subsequences, ROUGE-L, TF-IDF."""
