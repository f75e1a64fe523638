"""What a command is: its help at once, its options, family and reporter when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scoresheet.metrics.records import dataclass

if TYPE_CHECKING:
    from scoresheet.cli.report.explanation import Explainer
    from scoresheet.cli.report.reporter import Reporter
    from scoresheet.cli.templates.template import Template
    from scoresheet.metrics.family import Family
    from scoresheet.metrics.options import Options


@dataclass(frozen=True, kw_only=True)
class Command:
    """A family as the shell sees it. To list it nothing else is imported; to show its help, its options alone."""

    name: str
    options_path: str  # module:NAME of its options
    family_path: str  # of the family
    reporter_path: str
    explainer_path: str = ""  # '' where the units of the family cannot be explained
    template_path: str = ""  # '' where there is none to be filled in
    summary: str  # one line, for the list of commands
    about: str  # what it reads and what comes out
    example: str  # a command line that works, with what it does
    outputs: str  # default folders, relative to the working directory
    results: str
    references: str = ""  # '' where the family has none
    references_name: str = "REFERENCES"
    references_about: str = "The same for references"
    references_required: bool = True
    references_option: str = ""  # the option that may name their file too
    position: int = 100  # in the list of commands

    @property
    def options(self) -> type[Options]:
        """Its options, imported now."""
        found: type[Options] = _imported(self.options_path)
        return found

    @property
    def family(self) -> Family[Any, Any, Any, Any, Any, Any]:
        """The family, imported now."""
        found: Family[Any, Any, Any, Any, Any, Any] = _imported(self.family_path)
        return found

    @property
    def reporter(self) -> Reporter[Any, Any, Any, Any]:
        """The reporter, imported now."""
        found: Reporter[Any, Any, Any, Any] = _imported(self.reporter_path)
        return found

    @property
    def explainer(self) -> Explainer[Any, Any, Any, Any] | None:
        """How its units are explained, imported now; None where they are not."""
        found: Explainer[Any, Any, Any, Any] | None = _imported(self.explainer_path) if self.explainer_path else None
        return found

    @property
    def template(self) -> Template | None:
        """Tables to be filled in, imported now; None where there are none."""
        found: Template | None = _imported(self.template_path) if self.template_path else None
        return found


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
