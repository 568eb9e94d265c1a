"""Which copies of the vendors' libraries a suite loads: those of PyTorch's packages, so that what the framework runs
is what is measured, or the system's, or those in a folder."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

OPTION = "--libraries"
VARIABLE = "BENANZA_LIBRARIES"
# Beside site-packages/torch: NVIDIA's packages, and cuTENSOR's.
PATTERNS = ("nvidia/*/lib", "cutensor/lib")


class Refused(Exception):
    """One line that says what is wrong, and what to do."""


@dataclasses.dataclass(frozen=True)
class Libraries:
    source: str  # "PyTorch's packages in /venv/...", "the system"
    folders: tuple  # searched before the system's
    python: str = sys.executable  # the interpreter that has PyTorch

    def environment(self):
        """os.environ, with the folders in it."""
        old = os.environ.get("LD_LIBRARY_PATH")
        path = [str(folder) for folder in self.folders] + ([old] if old else [])
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(path)} if path else dict(os.environ)


def taken_from(arguments):
    """(value, other arguments) of --libraries VALUE or --libraries=VALUE before "--"; the value may be None."""
    value, others, words = None, [], list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            return value, others + [word] + words
        if word == OPTION and not words:
            raise Refused(f"{OPTION} needs a value: torch, system or a folder")
        if word == OPTION:
            value = words.pop(0)
        elif word.startswith(OPTION + "="):
            value = word.removeprefix(OPTION + "=")
        else:
            others.append(word)
    return value, others


def choose(wanted=None):
    """`wanted`: torch, system, a folder, or None: BENANZA_LIBRARIES, else torch if PyTorch has libraries, else
    system."""
    wanted = wanted or os.environ.get(VARIABLE)
    if wanted == "system":
        return Libraries("the system", ())
    if wanted and wanted != "torch":
        return of_folder(pathlib.Path(wanted))
    python = interpreter()
    site, folders = of_packages(python)
    if folders:
        return Libraries(f"PyTorch's packages in {site}", folders, python)
    if wanted:
        lack = "has no NVIDIA packages: pip install a PyTorch for CUDA 13" if site else \
            "has no PyTorch: activate its environment, or name its interpreter with PYTHON"
        raise Refused(f"{OPTION} torch: {python} {lack}")
    return Libraries("the system", (), python)


def of_folder(folder):
    folders = tuple(path.resolve() for path in (folder, folder / "lib", folder / "lib64")
                    if any(path.glob("lib*.so*")))
    if not folders:
        raise Refused(f"{OPTION} {folder}: say torch, system or a folder with libraries")
    return Libraries(str(folder), folders)


def interpreter():
    """The user's: PYTHON, or of the active environment, or the one that runs this."""
    if os.environ.get("PYTHON"):
        return os.environ["PYTHON"]
    active = pathlib.Path(os.environ.get("VIRTUAL_ENV", "/nonexistent"), "bin/python")
    return str(active) if active.exists() else sys.executable


def of_packages(python):
    """(site-packages with PyTorch or None, folders of libraries that its environment has)."""
    sites = [pathlib.Path(path) for path in paths_of(python)]
    torch = next((site for site in sites if (site / "torch/version.py").is_file()), None)
    if torch is None:
        return None, ()
    return torch, tuple(folder for pattern in PATTERNS for site in sites for folder in sorted(site.glob(pattern)))


def paths_of(python):
    if python == sys.executable:
        return [path for path in sys.path if path]
    asked = subprocess.run([python, "-c", "import json, sys; print(json.dumps(sys.path[1:]))"], text=True,
                           capture_output=True, check=False)
    if asked.returncode != 0:
        raise Refused(f"{python} does not run: PYTHON or VIRTUAL_ENV names it")
    return json.loads(asked.stdout)


def missing_library(message, libraries):
    """What the loader's message says, and what is there instead: "libcublas.so.13 is missing (...)"; None if it is
    another message."""
    found = re.search(r"loading shared libraries: (\S+): cannot open", message)
    if not found:
        return None
    name = found[1]
    stem = name.split(".so")[0]
    others = sorted({path.name for folder in libraries.folders for path in folder.glob(f"{stem}.so.*")})
    there = f" ({libraries.source}: {', '.join(others)})" if others else ""
    return f"{name} is missing{there}"
