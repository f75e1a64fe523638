"""Which places are read: a command that needs references says so when only outputs are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoresheet.cli.commands import command_named
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.scoring_call import _resolve_paths


def test_outputs_alone_are_refused_where_references_are_needed_and_read_where_they_are_not() -> None:
    command = replace(command_named("sinfo"), references_option="")
    values = {"outputs": "mine", "references": None}
    assert _resolve_paths(command, values) == ("mine", "")
    with pytest.raises(Stop, match="scoresheet sinfo mine REFERENCES") as refused:
        _resolve_paths(replace(command, references_required=True), values)
    assert refused.value.code == Exit.USAGE
    assert _resolve_paths(replace(command, references_required=True), values | {"references": "r"}) == ("mine", "r")
