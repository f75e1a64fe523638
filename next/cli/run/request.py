"""What a scoring command was asked to do."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from scoresheet.cli.input.checks import ACCEPTABLE
from scoresheet.cli.input.frames import Rules
from scoresheet.cli.input.grammar import parse_columns, parse_where, usage
from scoresheet.cli.options import ARGUMENTS, CommonOptions, build
from scoresheet.cli.registry import load_family
from scoresheet.cli.run.gates import Condition, parse_condition
from scoresheet.cli.run.workers import Limits
from scoresheet.metrics import Command
from scoresheet.metrics.role import normal

# Options that change no number and no report; the manifest does not record them.
NOT_RECORDED = {
    field.name for field in fields(CommonOptions) if field.metadata["panel"] == "Running"
}
NOT_RECORDED |= {"out", "format", "junit"}
NOT_RECORDED -= {"max_file_mb"}  # it decides which files are read


@dataclass(frozen=True, kw_only=True)
class Request(CommonOptions):
    """The common options of a run and what else it needs to know; the same in every worker.

    `inputs` are the files and folders by table; `named` is whether the user named the outputs, as
    opposed to the default folders. From the `arguments`, the command can be run again.
    """

    family: str
    inputs: dict[str, str]
    options: Any
    arguments: dict[str, Any] = field(default_factory=dict)
    named: bool = True
    load: Rules = field(default_factory=Rules)
    conditions: tuple[Condition, ...] = ()

    @property
    def limits(self) -> Limits:
        """Return the limits of the workers."""
        return Limits(self.jobs, self.timeout, self.memory)

    @property
    def aggregate(self) -> str:
        """Return whether Overall is the mean of sheets or of rows."""
        return str(getattr(self.options, "aggregate", "sheets"))


def request_of(command: Command, values: dict[str, Any]) -> Request:
    """Return the request of arguments and options."""
    try:
        options: CommonOptions = build(CommonOptions, values)
        own = build(command.options, {**vars(options), **values})
    except ValueError as error:
        raise usage(str(error)) from None
    unknown = [kind for kind in options.accept if kind not in ACCEPTABLE]
    if unknown:
        raise usage(f"--accept {unknown[0]}: it is one of {', '.join(ACCEPTABLE)}")
    if not 0 < options.ci < 1:
        raise usage(f"--ci must lie between 0 and 1, not {options.ci:g}")
    if options.fail_if_worse and not options.baseline:
        raise usage("--fail-if-worse needs earlier results", "--baseline RESULTS")
    family = load_family(command.name)
    roles = [role for table in family.tables for role in table.roles]
    words = {normal(word) for role in roles for word in (role.name, *role.words, *role.seed)}
    missing = options.missing_values
    load = {
        "sheets": options.sheet,
        "skip_sheets": options.skip_sheet,
        "words": frozenset(words),
        "said": parse_columns(options.column, family.tables),
        "where": parse_where(options.where),
        "missing_values": tuple(missing.split(",")) if missing else (),
        "accept": frozenset(options.accept),
    }
    return Request(
        **{**vars(options), "out": options.out or command.results},
        family=command.name,
        inputs=_inputs(command, values, own),
        options=own,
        arguments={name: values[name] for name in sorted(values) if name not in NOT_RECORDED},
        named=bool(values.get("outputs")),
        load=build(Rules, {**vars(options), **load}),
        conditions=tuple(parse_condition(text, family, own) for text in options.fail_if),
    )


def _inputs(command: Command, values: dict[str, Any], own: Any) -> dict[str, str]:
    """Return the file or folder of each table: as named, else the default folders."""
    files = [field for field in fields(own) if "table" in field.metadata]
    named = {field.metadata["table"]: getattr(own, field.name) for field in files}
    if values.get("outputs"):
        arguments = zip(command.arguments, ARGUMENTS, strict=False)
        named |= {table: values[name] for table, name in arguments if values.get(name)}
    else:
        folders = command.arguments.items()
        named |= {t: folder for t, folder in folders if t == "outputs" or Path(folder).exists()}
    return {table: path for table, path in named.items() if path}
