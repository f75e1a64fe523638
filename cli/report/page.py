"""Pages: worksheets to be, with their columns, charts and links; writers know these and nothing of a family."""

from __future__ import annotations

from scoresheet.metrics.core import Chart, Column, Histogram, Kind, LineChart, Page, StackedChart

__all__ = ["Chart", "Column", "Histogram", "Kind", "LineChart", "Page", "StackedChart"]
