"""A profile of the engine, by which the compiler arranges the extension of the wheels (profile-guided optimisation).

``python -m tools.packaging.profile`` builds the extension with counters, runs scenarios with it, merges the counts and
writes ``target/profile/merged.profdata``. ``make wheel PROFILE=1`` does that first and builds with it. The scenarios
are those of the gallery, of `tools.snapshots` and a crowd of flows. The benchmark's workloads are not among them, so
that the benchmark measures what the profile brings to runs that it has not seen.

The merging program, llvm-profdata, has to be of the LLVM of rustc: ``rustup component add llvm-tools`` brings it, or a
package such as Debian's llvm-22.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "target/profile"
PROFILE = FOLDER / "merged.profdata"
CROWD = """
name = "crowd"
duration = "3s"

[bottleneck]
rate = "500Mbps"
delay = "20ms"
queue = "1bdp"

[access]
rate = "10x"

[[flows]]
name = "bulk"
count = 200
app = "bulk"
start_jitter = "500ms"
"""
TRAINING = """
import sys
from pathlib import Path
import ackclock
from tools import snapshots
for made in snapshots.SNAPSHOTS.values():
    made()
for path in sorted(Path("python/ackclock/examples/gallery").glob("*.toml")):
    ackclock.run(path)
for stack in ("linux", "rfc"):
    ackclock.run(sys.argv[1], overrides={"flows[0].stack": stack})
"""
"""Runs in the project's folder, with the crowd as its argument."""


class Compiler(NamedTuple):
    """Version and folders of the compiler, as rustc reports them."""

    host: str
    llvm: int
    """The major version of its LLVM."""
    programs: Path
    """The folder of the programs that rustup installs beside it."""


def compiler() -> Compiler:
    """The compiler in use."""
    told = _output("rustc", "-vV")
    host, llvm = (re.search(rf"^{name}: (\S+)", told, re.MULTILINE) for name in ("host", "LLVM version"))
    if host is None or llvm is None:
        raise SystemExit(f"rustc does not tell its host and LLVM: {told!r}")
    sysroot = Path(_output("rustc", "--print", "sysroot").strip())
    return Compiler(host[1], int(llvm[1].split(".")[0]), sysroot / "lib/rustlib" / host[1] / "bin")


def merger(rustc: Compiler) -> str:
    """The program llvm-profdata of the compiler's LLVM."""
    beside = rustc.programs / "llvm-profdata"
    named = [str(beside) if beside.exists() else None, shutil.which(f"llvm-profdata-{rustc.llvm}")]
    for found in named:
        if found is not None:
            return found
    plain = shutil.which("llvm-profdata")
    if plain is not None and f"LLVM version {rustc.llvm}." in _output(plain, "--version"):
        return plain
    raise SystemExit(
        f"a profile needs llvm-profdata of LLVM {rustc.llvm}, rustc's: rustup component add llvm-tools, or apt install "
        f"llvm-{rustc.llvm}; without PROFILE=1 the wheel is built without a profile"
    )


def main() -> int:
    """Builds, runs and merges."""
    rustc = compiler()
    merge = merger(rustc)
    counts, package = FOLDER / "counts", FOLDER / "python"
    for old in (counts, package):
        shutil.rmtree(old, ignore_errors=True)
    target = FOLDER / "target"
    # With --target, the flags are for the extension alone, not for programs that run during the build.
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--target", rustc.host, "-p", "ackclock-python"]
    flags = {"RUSTFLAGS": f"-Cprofile-generate={counts}", "CARGO_TARGET_DIR": str(target)}
    subprocess.run(command, cwd=ROOT, env={**os.environ, **flags}, check=True)  # noqa: S603
    shutil.copytree(ROOT / "python", package, ignore=shutil.ignore_patterns("_core.*.so", "__pycache__"))
    library = target / rustc.host / "release" / ("lib_core.dylib" if sys.platform == "darwin" else "lib_core.so")
    shutil.copy(library, package / "ackclock/_core.abi3.so")
    crowd = FOLDER / "crowd.toml"
    crowd.write_text(CROWD, encoding="utf-8")
    path = os.pathsep.join((str(package), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", TRAINING, str(crowd)], cwd=ROOT, env=environment, check=True)  # noqa: S603
    parts = sorted(counts.glob("*.profraw"))
    if not parts:
        raise SystemExit(f"{counts} has no counts: the extension with counters was not used")
    subprocess.run([merge, "merge", "-o", str(PROFILE), *map(str, parts)], check=True)  # noqa: S603
    print(PROFILE)  # noqa: T201 -- what the tool is for
    return 0


def _output(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
