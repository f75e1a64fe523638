"""The families of measures: one folder each, named after its command; they do not import each other."""
