"""Writing: reports become workbooks, CSV twins and JSON; nothing here knows a metric."""
