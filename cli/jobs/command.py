"""The work of `scoresheet run`: from a file to a summary and one exit code."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from typing import Final

from scoresheet.cli.config.defaults import PROJECT_FILE, SETTINGS_FILE
from scoresheet.cli.config.files import Configuration, read_configuration
from scoresheet.cli.config.variables import notes_of_unknown_variables
from scoresheet.cli.endings import ending_of, ending_of_work
from scoresheet.cli.exits import Exit, Stop, worst
from scoresheet.cli.jobs.plan import Job, JobRules, chosen_jobs, planned_jobs, results_root, shared_log_file
from scoresheet.cli.jobs.runs import run_jobs
from scoresheet.cli.jobs.summary import (
    SUMMARY,
    SUMMARY_PAGE,
    Summary,
    formatted_summary,
    refuse_foreign_summary,
    summary_table,
    write_summary,
)
from scoresheet.cli.shared_values import JSON, TABLE
from scoresheet.cli.signals import signals_ignored
from scoresheet.cli.terminal.log import Log
from scoresheet.cli.terminal.messages import show_error
from scoresheet.cli.terminal.printing import print_answer
from scoresheet.cli.tools import tool_names
from scoresheet.cli.urls import is_remote, without_secrets
from scoresheet.cli.write.html.page import is_page
from scoresheet.metrics.records import dataclass

PAGE: Final = "report.html"
_RESULTS: Final = "results"


@dataclass(frozen=True)
class RunOptions:
    """What the command line of `scoresheet run` says."""

    only: tuple[str, ...] = ()
    out: str = ""
    log_file: str = ""
    words: tuple[str, ...] = ()  # that every job's command line gets too
    style: str = TABLE  # how the summary is printed
    quiet: bool = False
    dry_run: bool = False


def run_file(file: str, options: RunOptions) -> Exit:
    """Run the jobs of a file in its folder, and return the one exit code."""
    path = Path(file)
    if path.name == PROJECT_FILE:
        raise Stop(Exit.USAGE, f"{path}: jobs stand in a file of their own, such as {SETTINGS_FILE}; name that one")
    if not path.is_file():
        raise Stop(
            Exit.USAGE,
            f"{path}: no such file. It lists the jobs to run; docs/configuration.md has one to begin with",
        )
    # what the shell was told is relative to where it was told, and the file's own paths are relative to the file
    elsewhere = os.path.realpath(path.parent) != os.path.realpath(os.curdir)
    out, log_file = (
        str(Path(each).absolute()) if each and elsewhere else each for each in (options.out, options.log_file)
    )
    configuration = read_configuration(path)
    with chdir(path.parent):
        log_file_of_all = log_file or shared_log_file(configuration)
        log = Log(quiet=options.quiet, log_file=log_file_of_all)
        log.debug(shlex.join(["scoresheet", "run", file, *(f"--only={name}" for name in options.only), *options.words]))
        for note in notes_of_unknown_variables(os.environ):
            log.info(note)
        named = out or results_root(configuration) or _RESULTS
        if is_remote(named):
            raise Stop(
                Exit.USAGE,
                f"{without_secrets(named)}: the reports of jobs are summed up where they lie; name a local folder",
            )
        root = Path(named)
        try:
            code = _run_all(configuration, JobRules(str(root), options.words, log_file), root, options, log)
        except BaseException as error:
            _log_ending(error, options, log)
            raise
        log.debug(f"scoresheet run: exit code {int(code)}")
    return code


def _log_ending(error: BaseException, options: RunOptions, log: Log) -> None:
    ending = ending_of(error)
    if isinstance(error, Stop) and options.style == JSON:
        show_error(error)
    elif ending.code == Exit.BUG:
        log.bug(error)
    log.debug(f"scoresheet run: {ending.error}; exit code {ending.code}")


def _run_all(configuration: Configuration, rules: JobRules, root: Path, options: RunOptions, log: Log) -> Exit:
    every = planned_jobs(configuration, rules)
    jobs = chosen_jobs(every, options.only, configuration)
    if not options.dry_run:
        refuse_foreign_summary(root)
        _refuse_foreign_page(root / PAGE)

    def announce(job: Job) -> None:
        log.info(f"job {job.name}: {shlex.join(['scoresheet', *job.arguments])}")

    done = run_jobs(jobs, announce)
    chosen = {job.name for job in jobs}
    left_out = [job.name for job in every if job.name not in chosen]
    with signals_ignored():  # it is short, and who stopped the run wants to know how far it came
        return _summed_up(Summary(str(configuration.path), left_out, done, worst(done.codes)), root, options, log)


def _summed_up(summary: Summary, root: Path, options: RunOptions, log: Log) -> Exit:
    """Write and print what the jobs came to, and return the exit code of it all."""
    done = summary.done
    for outcome in done.outcomes:
        log.debug(f"job {outcome.job.name}: {outcome.status}; exit code {outcome.code}")
    if done.stopped is not None:
        waiting = [outcome.job.name for outcome in done.outcomes if outcome.code is None]
        log.error("stopped; the reports of earlier jobs stay" + (f"; not run: {', '.join(waiting)}" if waiting else ""))
    summary, is_written = _written(summary, root, options, log)
    page = None
    if not options.dry_run and done.stopped is None and root.is_dir():
        page, summary = _with_page(summary, root, options, log)
    if options.style == TABLE:
        text = summary_table(summary, shutil.get_terminal_size().columns if sys.stdout.isatty() else None)
    else:
        text = formatted_summary(summary, options.style)
    if (options.style != TABLE or not options.quiet) and not print_answer(text):
        summary, is_written = _written(summary.with_code(Exit.UNPRINTED), root, options, log)
    if is_written and done.stopped is None:
        log.info(f"{SUMMARY_PAGE} and {SUMMARY} are in {root}/" + (f"; look at {page}" if page else ""))
    return summary.code


def _with_page(summary: Summary, root: Path, options: RunOptions, log: Log) -> tuple[Path | None, Summary]:
    """Write the page, and return where it is and the summary with what is true of it if it could not be written."""
    written: list[Path | None] = []

    def write() -> int:
        folders = [outcome.job.folder for outcome in summary.done.outcomes if outcome.files]
        written.append(write_page(folders, root / PAGE))
        return Exit.OK

    ending = ending_of_work(write)
    if ending.code == Exit.OK:
        return written[0], summary
    log.debug(f"{PAGE}: {ending.error}; exit code {ending.code}")
    # nobody asked for it on a command line: whatever kept it from being written, the reports are there
    code = Exit.BUG if ending.code == Exit.BUG else Exit.UNWRITABLE
    return None, _written(summary.with_code(code), root, options, log)[0]


def _refuse_foreign_page(page: Path) -> None:
    """Stop, before any job begins, if something stands where the page is to be written and is no page of ours."""
    if os.path.lexists(page) and not is_page(page):
        raise Stop(
            Exit.USAGE,
            f"{page}: it stands where the page goes, and is none of scoresheet report; nothing was touched. Move it "
            "away, or name another folder with -o",
        )


def _written(summary: Summary, root: Path, options: RunOptions, log: Log) -> tuple[Summary, bool]:
    """Write a summary, and return it, with the code that it has if that cannot be done, and whether it is written."""
    if options.dry_run:
        return summary, False
    try:
        write_summary(root, summary)
    except OSError as error:
        reason = error.strerror or error
        said = f"Error: {root}: the summary cannot be written ({reason}); the reports of the jobs are"
        log.error(said)  # noqa: TRY400 - this log takes no exceptions
        return summary.with_code(Exit.UNWRITABLE), False
    return summary, True


def write_page(folders: Sequence[Path], path: Path) -> Path | None:
    """Write the page over all results, if `scoresheet report` is there to write it, and return where it is.

    This is the one place where a run of jobs makes its page.
    """
    if not folders or "report" not in tool_names():
        return None
    import_module("scoresheet.cli.tools.report").write_page(folders, path)
    return path
