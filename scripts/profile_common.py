"""What the profiling scripts have in common."""

import argparse
import contextlib
import importlib.util
import json
import os
import sys
import zlib

# Tensors with fewer elements than this are shapes, axes or scalars: their values matter.
SMALLEST_WEIGHT = 16
SEED = 20200518


class UserError(Exception):
    """What is wrong, where, and what to do: one line."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the command line in one line."""

    def error(self, message):
        raise UserError(f"{message}; --help lists the options")


def run_main(program, main):
    """Calls main(); errors become one line on standard error and a status."""
    try:
        main()
    except UserError as error:
        sys.exit(f"{program}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def positive(text):
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= 1 << 20:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {1 << 20}")
    return value


def named_text(text):
    name, equals, value = text.rpartition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def named_extent(text):
    name, value = named_text(text)
    return name, 0 if value == "0" else positive(value)  # e.g. an empty past


def processor_name():
    """None where it is not known."""
    with contextlib.suppress(OSError):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    return None


@contextlib.contextmanager
def replacing(path):
    """A temporary name beside `path`, renamed to it at the end, removed after an error."""
    temporary = f"{path}.tmp{os.getpid()}"
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(f"{path}: cannot write: {error.strerror}")
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def write_json(path, record):
    with replacing(path) as temporary:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(record, file)
            file.write("\n")


def checksums(*paths):
    """CRC-32 by file name: a profile says which files beside it are its own."""
    found = {}
    for path in paths:
        with open(path, "rb") as file:
            found[os.path.basename(path)] = zlib.crc32(file.read())
    return found


def one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def load_module(path):
    """A user's Python file, run once. Python's own modules and torch.compile look for it by its name, which is
    none that a file beside it could import."""
    name = "model_of_" + os.path.splitext(os.path.basename(path))[0]
    specification = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module
