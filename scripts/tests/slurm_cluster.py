"""A Slurm of three virtual nodes on this machine: real munged, slurmctld and slurmd, in a folder of its own."""
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue")
NODES = ("n1", "n2", "n3")

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=6
KillWait=3
MinJobAge=300
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_interval=1
SelectType=select/cons_tres
NodeName=n[1-3] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def children(pid):
    """The process and all that descend from it."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


class Cluster:
    """Use it as a context: it stops its daemons, and theirs alone, however the block ends."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.host = socket.gethostname().split(".")[0]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def call(self, *words, check=True):
        finished = subprocess.run([str(word) for word in words], env=self.environment, text=True,
                                  capture_output=True, check=False, timeout=60)
        if check and finished.returncode != 0:
            raise RuntimeError(f"{words}: {finished.stdout}{finished.stderr}")
        return finished.stdout

    def start(self):
        for name in ("state", "munge", *(f"spool.{node}" for node in NODES)):
            (self.folder / name).mkdir()
        key = self.folder / "munge/key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        (self.folder / "munge").chmod(0o755)
        # --force: as whoever runs the test, in a folder under /tmp.
        self.call("munged", "--force", f"--key-file={key}",
                  *(f"--{what}-file={self.folder}/munge/{what}" for what in ("pid", "log", "seed")),
                  f"--socket={self.folder}/munge/socket", "--num-threads=2")
        controller, *nodes = self.ports()
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, host=self.host, port=controller, first=nodes[0], last=nodes[-1],
            user=pwd.getpwuid(os.getuid()).pw_name))
        self.call("slurmctld")
        for node in NODES:
            self.start_node(node)
        self.await_nodes(*NODES)

    @staticmethod
    def ports():
        """Four in a row for the nodes, so that a range names them."""
        for _ in range(100):
            first, controller = free_ports(2)
            taken = False
            for port in range(first, first + len(NODES)):
                with socket.socket() as one:
                    try:
                        one.bind(("", port))
                    except OSError:
                        taken = True
            if not taken and not first <= controller < first + len(NODES):
                return [controller, *range(first, first + len(NODES))]
        raise RuntimeError("no free ports")

    def start_node(self, node):
        self.call("slurmd", "-N", node)

    def await_nodes(self, *nodes):
        for _ in range(300):
            idle = self.call("sinfo", "-h", "-N", "-o", "%N %t", check=False).splitlines()
            if all(f"{node} idle" in idle for node in nodes):
                return
            time.sleep(0.1)
        raise RuntimeError(f"nodes do not come up: {idle}")

    def pid(self, name):
        try:
            return int((self.folder / name).read_text())
        except (OSError, ValueError):
            return None

    def kill_node(self, node):
        """As a power cut: the daemon, and all that its jobs have started, are gone at once."""
        steps, watchers = [], []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    environment = (entry / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if words.startswith("slurmstepd"):
                    watchers.append(int(entry.name))
                own = f"SLURM_CONF={self.folder}/slurm.conf".encode() in environment
                if own and f"SLURMD_NODENAME={node}".encode() in environment:
                    steps.append(int(entry.name))
        # Whoever watches one of the steps would tell the controller of its end.
        steps += [one for one in watchers if set(children(one)) & set(steps)]
        daemon = self.pid(f"slurmd.{node}.pid")
        # None of them sees another one's end, and tells the controller of it.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in [daemon, *children(daemon)[1:], *steps]:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass

    def stop(self):
        """By their pid files, steps of jobs first."""
        if (self.folder / "slurmctld.pid").exists():
            self.call("scancel", "--user", pwd.getpwuid(os.getuid()).pw_name, check=False)
            for _ in range(50):
                if not self.call("squeue", "-h", "-t", "running,completing", check=False):
                    break
                time.sleep(0.1)
        names = ["slurmctld.pid", *(f"slurmd.{node}.pid" for node in NODES), "munge/pid"]
        pids = [pid for pid in map(self.pid, names) if pid is not None]
        for number in (signal.SIGTERM, signal.SIGKILL):
            for _ in range(30):
                pids = [pid for pid in pids if self.send(pid, number)]
                if not pids:
                    return
                time.sleep(0.1)
                number = 0  # Only looks whether it is there still.

    @staticmethod
    def send(pid, number):
        """False if there is no such process any more."""
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return False
        return True


def missing():
    """Programs that are not there."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]
