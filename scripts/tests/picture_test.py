#!/usr/bin/env python3
"""docs/report.svg is what today's benanza-analyze makes of the results in docs/results/1xH100-2026-11-22.

usage: picture_test.py SOURCE_DIR PROGRAMS_DIR
"""
import pathlib
import subprocess
import sys
import tempfile

source, programs = map(pathlib.Path, sys.argv[1:])
with tempfile.TemporaryDirectory() as folder:
    new = pathlib.Path(folder) / "report.svg"
    subprocess.run([source / "scripts/make-picture", "--programs", programs, "--out", new], check=True)
    if new.read_text() != (source / "docs/report.svg").read_text():
        sys.exit("docs/report.svg is out of date: run scripts/make-picture and look at the result")
