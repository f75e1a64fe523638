"""Settings from a file: scoresheet.toml, or a part of pyproject.toml; and the variables of the environment."""
