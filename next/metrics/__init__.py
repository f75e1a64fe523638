"""Measures and families: pure functions of tables."""
