"""The run: one pipeline for every family, workers that may die, a results folder that is never half written."""
