#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/evaluate.slurm on Debian's Slurm: one node, here; a task of the array is killed.

    slurm.py TAKT KERNELS SCRIPT

Skipped where Slurm or qemu are not installed.
"""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import wait_for  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

takt, kernels, script = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
PARTS = 3
SECONDS_MAX = 240
SOURCES = ("kernel.h", "run.c", "list-sum.c", "gemm.c", "fir16.c", "xtea.c", "crc32.c", "trisolv.c")
TABLES = ("benchmark", "run", "block", "edge", "dependence", "entry", "measurement", "prediction",
          "coverage")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "qemu-x86_64")


def rows(directory, sql):
    with contextlib.closing(sqlite3.connect(f"file:{directory}/results.db?mode=ro",
                                            uri=True)) as database:
        return database.execute(sql).fetchall()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """Three daemons in a folder, which end with it."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"),
                                PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
        (folder / "slurm.conf").write_text(self.configuration())
        (folder / "key").write_bytes(os.urandom(128))
        (folder / "key").chmod(0o600)
        for name in ("state", "spool"):
            (folder / name).mkdir()

    def configuration(self):
        host, user = socket.gethostname().split(".")[0], pwd.getpwuid(os.getuid()).pw_name
        lines = {
            "ClusterName": "takt", "SlurmctldHost": f"{host}(127.0.0.1)",
            "AuthType": "auth/munge", "AuthInfo": f"socket={self.folder}/munge",
            "CredType": "cred/munge", "SlurmUser": user, "SlurmdUser": user,
            "SlurmctldPort": free_port(), "SlurmdPort": free_port(),
            "StateSaveLocation": self.folder / "state", "SlurmdSpoolDir": self.folder / "spool",
            "SlurmctldPidFile": self.folder / "slurmctld.pid",
            "SlurmdPidFile": self.folder / "slurmd.pid",
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none",
            "SelectType": "select/linear", "MpiDefault": "none", "ReturnToService": 2,
            "SchedulerType": "sched/builtin", "JobRequeue": 1,
            "SlurmctldParameters": "enable_configless",
        }
        return "".join(f"{key}={value}\n" for key, value in lines.items()) + (
            f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN\n"
            f"PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP\n")

    def start(self, *command):
        with open(self.folder / f"{command[0]}.out", "w") as log:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=log,
                                                 stderr=log, start_new_session=True))

    def __enter__(self):
        self.start("munged", "--foreground", "--force", f"--key-file={self.folder}/key",
                   f"--socket={self.folder}/munge", f"--pid-file={self.folder}/munge.pid",
                   f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed")
        wait_for((self.folder / "munge").exists, 10)
        self.start("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.start("slurmd", "-D", "-f", self.folder / "slurm.conf")
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def run(self, *command, **more):
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder,
                              env=dict(self.environment, **more), timeout=SECONDS_MAX)

    def is_up(self):
        said = self.run("sinfo", "-h", "-o", "%T").stdout
        return "idle" in said or "mixed" in said

    def submit(self, directory, sources, array):
        done = self.run("sbatch", "--parsable", f"--array={array}", script, directory, sources,
                        TAKT=str(takt), ARCH="SKL", PARTS=str(PARTS), OPTIONS="--small")
        return done.stdout.strip(), done.stderr

    def is_done(self):
        return not self.run("squeue", "-h").stdout.strip()

    def logs(self):
        return [(path.name, path.read_text()[-600:]) for path in self.folder.glob("slurm*.out")]


def processes_of(directory):
    """Processes of takt on a part, which this test's cluster started."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"evaluate"] and str(directory).encode() in words:
            yield int(folder.name)


def kill_task(directory):
    """While it counts. Returns what it had found, and whether there was a task to be killed."""
    def some_found():
        try:
            return rows(directory, "SELECT count(*) FROM run")[0][0] >= 1
        except sqlite3.Error:
            return False

    found = wait_for(some_found, SECONDS_MAX)
    processes = list(processes_of(directory))
    for process in processes:
        os.kill(process, signal.SIGKILL)
    return rows(directory, "SELECT * FROM run") if found else [], processes


def check(cluster, folder):
    sources, directory, whole = folder / "kernels", folder / "results", folder / "whole"
    sources.mkdir()
    for name in SOURCES:
        shutil.copy(kernels / name, sources)
    job, error = cluster.submit(directory, sources, f"1-{PARTS}")
    ok(job.isdigit(), "a job array is submitted", error, cluster.logs())
    before, killed = kill_task(directory / "part-2")
    ok(before and killed, "a task is killed", before, killed, cluster.logs())
    ok(wait_for(cluster.is_done, SECONDS_MAX), "the others end", cluster.run("squeue").stdout)
    ok(not rows(directory / "part-2", "SELECT * FROM prediction"), "it had not come to its end")
    cluster.submit(directory, sources, "2")
    ok(wait_for(cluster.is_done, SECONDS_MAX), "it is submitted again, and ends",
       cluster.run("squeue").stdout)
    after = rows(directory / "part-2", "SELECT * FROM run")
    ok(set(before) <= set(after), "nothing that it had found is lost", before, after)
    merged = cluster.run(takt, "evaluate", "merge", directory / "all",
                         *(directory / f"part-{i + 1}" for i in range(PARTS)))
    ok(merged.returncode == 0, "the parts are merged", merged.stderr)
    cluster.run(takt, "evaluate", "build", whole, "--small", "--kernels", sources)
    sql = "SELECT kernel, hash FROM benchmark WHERE state = 'built' ORDER BY 1, 2"
    ok(rows(directory / "all", sql) == rows(whole, sql), "they are the whole")
    wanted = len(SOURCES) - 2
    found = rows(directory / "all", "SELECT (SELECT count(*) FROM run WHERE reason = ''), "
                 "(SELECT count(*) FROM measurement), (SELECT count(*) FROM prediction WHERE"
                 " predictor = 'takt paths' AND cycles > 0), (SELECT count(*) FROM"
                 " (SELECT DISTINCT benchmark FROM coverage))")[0]
    ok(found == (wanted,) * 4, "each was counted, measured and predicted", found, cluster.logs())
    everything = [rows(directory / "all", f"SELECT * FROM {table}") for table in TABLES]
    cluster.run(takt, "evaluate", "merge", directory / "all", directory / "part-1")
    ok(everything == [rows(directory / "all", f"SELECT * FROM {table}") for table in TABLES],
       "what was merged once stays as it is")
    report = cluster.run(takt, "evaluate", "report", directory / "all", "--arch=SKL")
    ok("takt paths" in report.stdout, "and there is a report", report.stdout, report.stderr)


def main():
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if missing:
        skip_all(f"no {', '.join(missing)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        with Cluster(folder) as cluster:
            up = wait_for(cluster.is_up, 30)
            ok(up, "Slurm runs", cluster.logs())
            if up:
                check(cluster, folder)
    return finish()


sys.exit(main())
