"""What a run needs: known vulnerabilities, if the advisory service can be asked, and licences. `make audit`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement


def runtime_packages(name: str = "scoresheet") -> dict[str, str]:
    """Return what a package needs when it runs, and what that needs, each with the version that is installed."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        for line in distribution(waiting.pop()).requires or []:
            requirement = Requirement(line)
            if requirement.name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
                continue
            try:
                found[requirement.name] = distribution(requirement.name).version
            except PackageNotFoundError:
                continue  # for another system
            waiting.append(requirement.name)
    return dict(sorted(found.items()))


def licence(name: str) -> str:
    """Return the licence that a package states: the expression, the classifier, or the first line of the text."""
    about = distribution(name).metadata
    stated = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    text = str(about.get("License") or "").strip().partition("\n")[0]
    if not text or text.endswith((".txt", ".md")):  # some name only the file
        text = title_of_licence_file(name) or text
    return str(about.get("License-Expression") or "") or ", ".join(stated) or text or "not stated"


def title_of_licence_file(name: str) -> str:
    """Return the first line of a package's licence file that says something; '' if it brings none."""
    kept = [file for file in distribution(name).files or [] if file.name.upper().startswith(("LICENSE", "LICENCE"))]
    lines = [line.strip() for file in kept[:1] for line in file.read_text(encoding="utf-8").splitlines()]
    return next(filter(None, lines), "")


def vulnerabilities(packages: dict[str, str]) -> tuple[list[str], str]:
    """Return the known vulnerabilities, and why they could not be looked up; '' if they could."""
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder) / "requirements.txt"
        pinned.write_text("".join(f"{name}=={version}\n" for name, version in packages.items()), encoding="utf-8")
        words = [sys.executable, "-m", "pip_audit", "--requirement", str(pinned)]
        done = subprocess.run(  # noqa: S603 - fixed words
            [*words, "--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off"],
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        answer = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return [], (done.stderr.strip().rpartition("\n")[2] or f"pip-audit ended with code {done.returncode}")
    found = [
        f"{package['name']} {package['version']}: {each['id']}, fixed in {', '.join(each['fix_versions']) or 'none'}"
        for package in answer
        for each in package.get("vulns", [])
    ]
    skipped = [package["skip_reason"] for package in answer if package.get("skip_reason")]
    others = f", and {len(skipped) - 1} more like it" if len(skipped) > 1 else ""
    return found, f"{skipped[0]}{others}" if skipped else ""


def main() -> int:
    """Print both lists; 1 if there are vulnerabilities, or it is not known whether there are."""
    packages = runtime_packages()
    width = max(map(len, packages))
    for name, version in packages.items():
        print(f"{name:<{width}}  {version:<12}  {licence(name)}")
    found, unknown = vulnerabilities(packages)
    for line in found:
        print(f"VULNERABLE  {line}")
    if unknown:
        print(f"Not audited: the advisory service could not be asked ({unknown})")
    elif not found:
        print(f"No known vulnerability in {len(packages)} packages")
    return 1 if found or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
