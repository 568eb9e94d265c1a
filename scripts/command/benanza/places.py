"""Where this installation's programs and scripts are."""
import dataclasses
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Places:
    programs: pathlib.Path  # benanza-generate, bench_onednn, ...
    scripts: pathlib.Path  # bench, profile-onnxruntime, ...

    def program(self, name):
        """The path of a program, or None."""
        path = self.programs / name
        return path if os.access(path, os.X_OK) else None

    def suites(self):
        """Names of suites that there are: "onednn". Those that measure nothing of a model are not among them."""
        names = [path.name.removeprefix("bench_") for path in sorted(self.programs.glob("bench_*"))]
        return [name for name in names if name != "fake"]


def of_wheel():
    return Places(HERE / "bin", HERE / "share/benanza/scripts")
