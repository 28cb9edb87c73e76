"""A Dask scheduler and workers on the loopback interface, each a process."""

import json
import subprocess
import sys
import time

from distributed import Client


class Cluster:
    """A scheduler and workers, each a process."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.folder = folder
        self.processes = []
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file)]
        self.start("scheduler", *options)
        until(self.file.exists)

    def start(self, what, *options):
        with (self.folder / f"{what}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", what, *options], stdout=log, stderr=subprocess.STDOUT, cwd=self.folder
            )
        self.processes.append(process)
        return process

    def workers(self, count):
        """Starts workers, and waits until the scheduler knows them."""
        made = [
            self.start(
                "worker", "--scheduler-file", str(self.file), "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny",
                "--no-dashboard", "--local-directory", str(self.folder),
            )
            for _ in range(count)
        ]  # fmt: skip
        with Client(scheduler_file=str(self.file), timeout=600, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=600)
        return made

    @property
    def address(self):
        return json.loads(self.file.read_text())["address"]

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


def until(condition, patience_s=600):
    end = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.05)
