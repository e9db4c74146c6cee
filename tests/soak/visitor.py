"""visitor.py -- starts a server, makes one request of each kind and stops it, for faults.py."""

import http.client
import json
import signal
import subprocess
import time
from urllib.parse import urlparse

LABELS = {"model": 0, "labels": [{"node": 3, "class": 1}]}
NODES = {"inputs": [{"name": "nodes", "datatype": "INT64", "shape": [2], "data": [0, 1]}]}

# Method, path, body, and the status where nothing fails.
REQUESTS = (
    ("GET", "/healthz", None, 200), ("GET", "/", None, 200), ("GET", "/state", None, 200),
    ("GET", "/models/0", None, 200), ("GET", "/nowhere", None, 404), ("PUT", "/", None, 405),
    ("GET", "/v2/models/opine", None, 200), ("POST", "/v2/models/opine/infer", NODES, 200),
    ("POST", "/features", {"find": "1"}, 200), ("POST", "/features", {"feature": 1}, 200),
    ("POST", "/what-if", LABELS, 202))


def ask(address, method, path, body, seconds):
    """The status and what was said; None where the connection was closed without an answer."""
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=seconds)
    try:
        connection.request(method, address.path.rstrip("/") + path,
                           None if body is None else json.dumps(body))
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (http.client.HTTPException, ConnectionError):
        return None, b""
    finally:
        connection.close()


def is_refusal(status, said):
    return status == 500 and "error" in json.loads(said)


def await_work(process, address, seconds):
    """Until nothing is being trained, or the server is gone; what is odd about that, or None."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
        if process.poll() is not None:
            return None
        status, said = ask(address, "GET", "/state", None, seconds)
        if status is None or is_refusal(status, said):
            continue
        work = json.loads(said)["work"]
        if work["status"] == "failed" and not work["error"]:
            return "the what-if failed without a reason"
        if work["status"] != "running":
            return None
    return "the what-if does not end"


def visit(process, address, seconds):
    """What is odd about the answers, as text: nothing, if each is right or a refusal."""
    odd = []
    for method, path, body, wanted in REQUESTS:
        status, said = ask(address, method, path, body, seconds)
        if status not in (wanted, None) and not is_refusal(status, said):
            odd.append(f"{method} {path}: {status} {said[:200]!r}")
    odd.append(await_work(process, address, seconds))
    status, said = ask(address, "GET", "/what-if", None, seconds)
    if status not in (200, 404, None) and not is_refusal(status, said):
        odd.append(f"GET /what-if: {status}")
    return "; ".join(filter(None, odd))


def serve(command, seconds, **more):
    """Runs the command until it was visited. As of subprocess.run(), but exit code 0 for a server that
    ended as it was told to, and on stdout what was odd."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, **more)
    odd = ""
    try:
        line = process.stdout.readline().decode().split()
        if line:
            odd = visit(process, urlparse(line[-1]), seconds)
            process.terminate()  # SIGINT is ignored where this runs in the background
        _, stderr = process.communicate(timeout=seconds)
    except (subprocess.TimeoutExpired, TimeoutError) as error:
        raise subprocess.TimeoutExpired(command, seconds) from error
    finally:
        process.kill()
        process.wait()
    code = 0 if line and process.returncode == 128 + signal.SIGINT else process.returncode
    # Ctrl-C is told too; that is no message about a fault.
    stderr = b"".join(part for part in stderr.splitlines(keepends=True) if b"interrupted" not in part)
    return subprocess.CompletedProcess(command, code, odd.encode(), stderr)
