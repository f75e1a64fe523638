"""sinfo: information density of explanations, S_Info = brevity penalty × ROUGE-L precision."""
