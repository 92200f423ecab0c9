"""Runs jobs on a cluster of this machine, kills a worker in the middle, and compares.

    run.py spark|ray COUNT
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import crosscheck


def texts(count: int) -> list[tuple[str, str]]:
    """Ids and logs; a third of them lies, some are broken."""
    made = []
    for number in range(count):
        status = "paid" if number % 3 else "void"
        call = {"tool": "orders.update", "params": {"id": f"o_{number % 1000}", "status": status}, "result": "ok"}
        made.append((f"job-{number}", json.dumps(call) if number % 1009 else "{broken"))
    return made


def alone(jobs: list[tuple[str, str]], db: str) -> dict[str, str]:
    """The answers of one process."""
    from crosscheck._columns import answer_columns, jobs_of

    rows = [{"id": name, "log": log} for name, log in jobs]
    with crosscheck.Worker(jobs=2) as worker:
        found = worker.ask_all(jobs_of(rows, "rows", "id", {"db": db}))
        columns = answer_columns([name for name, _ in jobs], found)
    return {str(name): str(answer) for name, answer in zip(columns["id"], columns["answer"])}


def compare(engine: str, expected: dict[str, str], found: list[tuple[str, str]], killed: str) -> None:
    ids = [name for name, _ in found]
    if len(ids) != len(set(ids)) or set(ids) != set(expected):
        sys.exit(f"{engine}: {len(ids)} answers, {len(set(ids))} ids, {len(expected)} jobs")
    different = [name for name, answer in found if answer != expected[name]]
    if different:
        name = different[0]
        sys.exit(f"{engine}: {len(different)} answers differ, first {name}:\n{dict(found)[name]}\n{expected[name]}")
    if not killed:
        sys.exit(f"{engine}: the run was over before a worker could be killed")
    print(f"{engine}: {len(ids):,} jobs, {killed} killed, every id answered once, equal to a single process")


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(one) for one in (task / "children").read_text().split()]
    return found


def kill_tree(pid: int) -> None:
    """Kills a process and everything below it."""
    try:
        below = children(pid)
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return
    for child in below:
        kill_tree(child)


def spark(jobs: list[tuple[str, str]], db: str, folder: Path) -> tuple[list[tuple[str, str]], str]:
    import pyspark
    from pyspark.sql import SparkSession

    import crosscheck.spark

    home = str(Path(pyspark.__file__).parent)
    started = {}
    environment = {**os.environ, "SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(folder)}

    def start(name: str, *words: str) -> None:
        log = open(folder / f"{name}.log", "wb")
        words = (f"{home}/bin/spark-class", *words)
        started[name] = subprocess.Popen(words, env=environment, stdout=log, stderr=log, cwd=folder)

    def wait_for(name: str, text: str) -> None:
        for _ in range(600):
            if text in (folder / f"{name}.log").read_text(errors="replace"):
                return
            time.sleep(0.1)
        sys.exit(f"spark: {name} did not say `{text}`:\n{(folder / f'{name}.log').read_text()}")

    port = 17077
    master = "org.apache.spark.deploy.master.Master"
    worker = "org.apache.spark.deploy.worker.Worker"
    try:
        start("master", master, "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        wait_for("master", "I have been elected leader")
        for name in ("one", "two"):
            start(name, worker, f"spark://127.0.0.1:{port}", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0")
            wait_for(name, "Successfully registered with master")
        session = (
            SparkSession.builder.master(f"spark://127.0.0.1:{port}")
            .config("spark.executor.memory", "800m")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.task.maxFailures", "8")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        frame = session.createDataFrame(jobs, "id string, log string").repartition(16)
        checked = crosscheck.spark.verify(frame, task="rows", db=db).select("id", "answer")
        killed = kill_in_the_middle(folder / "done", lambda: kill_tree(started["one"].pid), "a worker with its executor")
        begin = time.monotonic()
        # the number of finished tasks is what "in the middle" means
        tracker = session.sparkContext.statusTracker()
        watch(lambda: sum(info.numCompletedTasks for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage)) and info.numTasks == 16), 5, folder / "done")
        found = [(row.id, row.answer) for row in checked.collect()]
        print(f"spark: {len(found) / (time.monotonic() - begin):,.0f} jobs/s on two workers with one core each, one of them for half the time")
        session.stop()
        return found, killed()
    finally:
        for process in started.values():
            kill_tree(process.pid)


def watch(count: Any, enough: int, sign: Path) -> None:
    """Makes a file when so much is done."""

    def look() -> None:
        while not sign.exists():
            try:
                if count() >= enough:
                    sign.touch()
            except Exception:
                return
            time.sleep(0.05)

    threading.Thread(target=look, daemon=True).start()


def kill_in_the_middle(sign: Path, kill: Any, what: str) -> Any:
    """Waits for the file, then kills; returns a function that says what was killed."""
    said: list[str] = []

    def wait() -> None:
        while not sign.exists():
            time.sleep(0.02)
        kill()
        said.append(what)

    threading.Thread(target=wait, daemon=True).start()
    return lambda: said[0] if said else ""


def ray(jobs: list[tuple[str, str]], db: str, folder: Path) -> tuple[list[tuple[str, str]], str]:
    import pyarrow
    import ray as engine

    import crosscheck.ray

    program = str(Path(sys.executable).parent / "ray")
    # every node has an address of its own on the loopback; Ray replaces 127.0.0.1 by that of the machine
    head, other, port = "127.0.0.2", "127.0.0.3", 26379  # workers take 10002 to 19999
    # paths of sockets are short, and a cluster of two nodes on one machine has to be allowed on some systems
    temporary = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
    environment = {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1", "RAY_DISABLE_DOCKER_CPU_WARNING": "1", "RAY_USAGE_STATS_ENABLED": "0"}
    memory = ["--object-store-memory", str(200 << 20), "--disable-usage-stats", "--block"]
    started = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        log = open(folder / f"ray-{len(started)}.log", "wb")
        process = subprocess.Popen([program, "start", *words, *memory], env=environment, stdout=log, stderr=log)
        started.append(process)
        return process

    try:
        # An actor of the killed node starts again with its work in hand, so the other node has room for all of them.
        start("--head", f"--node-ip-address={head}", f"--port={port}", "--num-cpus=4", "--include-dashboard=false", f"--temp-dir={temporary}")
        connect(engine, head, port, 1)
        second = start(f"--address={head}:{port}", f"--node-ip-address={other}", "--num-cpus=2")
        connect(engine, head, port, 2)
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        engine.data.DataContext.get_current().enable_progress_bars = False
        names, logs = zip(*jobs)
        data = engine.data.from_arrow(pyarrow.table({"id": list(names), "log": list(logs)})).repartition(64)
        seen = folder / "done"
        killed = kill_in_the_middle(seen, lambda: kill_tree(second.pid), "a node with its actors")
        lasting = {"scheduling_strategy": "SPREAD", "max_restarts": -1, "max_task_retries": -1}
        options = {"num_cpus": 1, "ray_remote_args_fn": lambda: lasting}
        checked = crosscheck.ray.verify(data, "rows", db=db, concurrency=3, batch_size=256, ray_options=options)
        begin = time.monotonic()
        found = []
        for batch in checked.select_columns(["id", "answer"]).iter_batches(batch_format="pyarrow", batch_size=None):
            found += zip(batch["id"].to_pylist(), batch["answer"].to_pylist())
            if len(found) > len(jobs) // 4:
                seen.touch()
        print(f"ray: {len(found) / (time.monotonic() - begin):,.0f} jobs/s on two nodes, one of them for a part of the time")
        engine.shutdown()
        return found, killed()
    finally:
        for process in started:
            kill_tree(process.pid)
        for pid in daemons(temporary):
            kill_tree(pid)


def connect(engine: Any, head: str, port: int, nodes: int) -> None:
    """Waits until so many nodes are there."""
    for _ in range(120):
        try:
            if not engine.is_initialized():
                engine.init(address=f"{head}:{port}", _node_ip_address=head, logging_level="ERROR", log_to_driver=False)
            if sum(node["Alive"] for node in engine.nodes()) >= nodes:
                return
        except Exception:
            engine.shutdown()
        time.sleep(0.5)
    sys.exit(f"ray: {nodes} nodes did not come up")


def daemons(folder: str) -> list[int]:
    """Processes of the cluster that was started in this folder, and no others."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if folder.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def main() -> None:
    engine, count = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="crosscheck-cluster-") as name:
        folder = Path(name)
        db = str(folder / "shop.db")
        with sqlite3.connect(db) as shop:
            shop.execute("CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL)")
            shop.executemany("INSERT INTO orders VALUES (?, 'paid')", ((f"o_{number}",) for number in range(1000)))
        shop.close()
        jobs = texts(count)
        begin = time.monotonic()
        expected = alone(jobs, db)
        print(f"alone: {count / (time.monotonic() - begin):,.0f} jobs/s in one process with two workers")
        found, killed = {"spark": spark, "ray": ray}[engine](jobs, db, folder)
        compare(engine, expected, found, killed)


if __name__ == "__main__":
    main()
