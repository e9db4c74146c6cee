#!/usr/bin/env python3
"""opine explore as a browser, a program and an attacker would talk to it.

  tests/programs/explore_test.py PROGRAM
"""

import base64
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import urlparse

from clean_start import environment

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = 120  # only a hang takes that long
IDLE_SECONDS, REQUEST_SECONDS = 10, 30  # as src/explore/http_server.h has them
BODY = 1 << 20
ONE_THREAD = ["--threads", "1"]  # results are the same, and a loaded machine does not wait
TRAIN = ["--model", "s-bgcn-t-k", "--epochs", "40"]


def opine(*arguments, folder):
    made = subprocess.run([PROGRAM, *map(str, arguments), *ONE_THREAD], cwd=folder,
                          capture_output=True, text=True, env=environment(), timeout=SECONDS, check=False)
    if made.returncode != 0:
        raise AssertionError(f"{arguments}: {made.stderr}")
    return made.stdout


def tensors(data):
    """Hashes of the weights of a model file, and what it says about itself."""
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + n])
    about = header.pop("__metadata__")
    return {name: hashlib.sha256(data[8 + n :][slice(*t["data_offsets"])]).hexdigest()
            for name, t in header.items()}, about


class Server:
    """A running opine explore."""

    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen(
            [PROGRAM, "explore", *map(str, arguments), *ONE_THREAD], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment())
        line = self.process.stdout.readline()
        if not line.startswith("address"):
            raise AssertionError(line + self.process.communicate()[1])
        self.address = line.split()[1]
        url = urlparse(self.address)
        self.host, self.port, self.base = url.hostname, url.port, url.path
        self.token = self.base.strip("/")

    def ask(self, method, path, body=None, headers=None, plain=False):
        """Status and answer, of a path below the token unless it is plain."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        connection.request(method, path if plain else self.base + path.lstrip("/"), body,
                           headers or {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        self.headers = answer.headers
        is_json = answer.headers.get("Content-Type") == "application/json"
        return answer.status, json.loads(data) if is_json and data else data

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body, **more):
        return self.ask("POST", path, body, **more)

    def raw(self, data, seconds=SECONDS):
        """What is answered to bytes as they are, until the server closes."""
        with socket.create_connection((self.host, self.port), timeout=seconds) as s:
            s.sendall(data)
            answer = b""
            while more := s.recv(65536):
                answer += more
            return answer

    def finish_work(self):
        while (work := self.get("state")[1]["work"])["status"] == "running":
            time.sleep(0.02)
        return work

    def stop(self, number=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, stderr = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, stderr


class Explore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="opine_explore."))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        opine("train", "demo", *TRAIN, "-o", "m.safetensors", "-q", folder=cls.root)
        try:
            cls.server = Server(cls.root, "m.safetensors", "demo")
        except AssertionError as error:
            if "built without" in str(error):
                raise unittest.SkipTest(str(error))
            raise
        cls.addClassCleanup(cls.server.stop)

    def refused(self, status, answer, code, words=""):
        self.assertEqual(status, code, answer)
        self.assertIsInstance(answer["error"], str)
        self.assertIn(words, answer["error"])

    # ---- the page

    def test_the_page_may_talk_to_its_own_server_only(self):
        status, page = self.server.get("")
        self.assertEqual(status, 200)
        policy = re.search(rb'Content-Security-Policy" content="([^"]+)"', page)[1].decode()
        self.assertIn("default-src 'none'; connect-src 'self'; ", policy)
        self.assertEqual(self.server.headers["Content-Security-Policy"], "frame-ancestors 'none'")
        self.assertEqual(self.server.headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(self.server.headers["Cache-Control"], "no-store")
        opine("report", "m.safetensors", "-o", "r.html", "-q", folder=self.root)
        self.assertNotIn(b"connect-src", (self.root / "r.html").read_bytes())

    def test_the_page_is_that_of_the_report_but_for_what_is_live(self):
        opine("report", "m.safetensors", "demo", "-o", "same.html", "-q", folder=self.root)
        about = [json.loads(re.search(rb'id="about">(.*?)</script>', page)[1]) for page in
                 ((self.root / "same.html").read_bytes(), self.server.get("")[1])]
        live = about[1].pop("live")
        self.assertEqual(about[0], about[1])
        self.assertEqual(live["what_if"], [True])

    # ---- who gets in

    def test_only_health_needs_no_token(self):
        self.assertEqual(self.server.get("/healthz", plain=True), (200, {"status": "ok"}))
        for path in ("/", "/state", "/v2", "/v2/health/live", "/v2/models/opine", "/favicon.ico"):
            self.refused(*self.server.get(path, plain=True), 401)
            self.assertEqual(self.server.headers["WWW-Authenticate"], "Bearer")

    def test_the_token_may_come_as_a_bearer(self):
        bearer = {"Authorization": f"Bearer {self.server.token}"}
        self.assertEqual(self.server.get("/v2/health/ready", plain=True, headers=bearer),
                         (200, {"ready": True}))

    def test_a_guessed_token_is_refused(self):
        token = self.server.token
        wrong = [token[:-1] + ("0" if token[-1] != "0" else "1"), token[:-1], token + "0", "",
                 token.upper() + "x", "0" * 32, "%00" * 32, "../" + token]
        for guess in wrong:
            self.refused(*self.server.get(f"/{guess}/state", plain=True), 401)
            self.refused(*self.server.get("/state", plain=True,
                                          headers={"Authorization": f"Bearer {guess}"}), 401)

    def test_another_host_is_refused(self):
        port = self.server.port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}"):
            self.assertEqual(self.server.get("state", headers={"Host": host})[0], 200)
        for host in ("127.0.0.1", f"127.0.0.1:{port + 1}", f"evil.example:{port}", "localhost",
                     f"127.0.0.1.evil.example:{port}", f"127.0.0.1:{port}x", f":{port}", ""):
            self.refused(*self.server.get("state", headers={"Host": host}), 403)

    def test_another_origin_is_refused(self):
        own = f"http://127.0.0.1:{self.server.port}"
        self.assertEqual(self.server.post("cancel", "", headers={"Origin": own})[0], 200)
        for origin in ("null", "http://evil.example", own + ".evil.example", "https" + own[4:],
                       f"http://localhost:{self.server.port}", ""):
            self.refused(*self.server.post("cancel", "", headers={"Origin": origin}), 403)

    def test_guessing_on_teaches_nothing(self):
        """A thousand guesses, each closer to the token, get the same answer, and lock nobody out."""
        token = self.server.token
        guesses = [token[:n] + ("0" if token[n] != "0" else "1") + token[n + 1:]
                   for n in range(len(token))]
        answers = {json.dumps(self.server.get(f"/{guess}/", plain=True))
                   for _ in range(1000 // len(guesses)) for guess in guesses}
        self.assertEqual(len(answers), 1)
        self.assertTrue(answers.pop().startswith("[401, "))
        self.assertEqual(self.server.get("state")[0], 200)

    def test_a_host_is_neither_left_out_nor_found_elsewhere(self):
        """What a name that was pointed here would send, and what only a program can."""
        base, port = self.server.base, self.server.port
        own, evil = f"Host: 127.0.0.1:{port}\r\n", f"Host: evil.example:{port}\r\n"
        for request in (f"GET {base} HTTP/1.0\r\n", f"GET {base} HTTP/1.1\r\n",
                        f"GET {base} HTTP/1.1\r\n{evil}", f"GET {base} HTTP/1.1\r\n{evil}{own}",
                        f"GET {base} HTTP/1.1\r\nHost : 127.0.0.1:{port}\r\n",
                        f"GET http://evil.example:{port}{base} HTTP/1.1\r\n{own}",
                        f"GET {base} HTTP/1.1\r\n{own}Origin: http://evil.example\r\n"
                        f"Origin: http://127.0.0.1:{port}\r\n",
                        f"GET {base} HTTP/1.1\r\n{evil}X-Forwarded-Host: 127.0.0.1:{port}\r\n",
                        f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n{own}"):
            with self.subTest(request):
                answer = self.server.raw(f"{request}Connection: close\r\n\r\n".encode())
                self.assertNotIn(b" 200 ", answer)
                self.assertNotIn(b"application/json\" id=\"about", answer)
        self.assertEqual(self.server.get("state")[0], 200)

    def test_no_file_is_served(self):
        for path in ("../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "m.safetensors",
                     "models/..%2f..%2fetc%2fpasswd", "models/9", "models/", "models/00", "index.html",
                     "..", "?/../x", "a" * 4000):
            status, answer = self.server.get(path)
            self.assertEqual(status, 200 if path.startswith("?") else 404, (path, answer))

    def test_only_known_methods_are_answered(self):
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"):
            self.refused(*self.server.ask(method, "state"), 405)
            self.assertEqual(self.server.headers["Allow"], "GET, HEAD, POST")
        self.assertEqual(self.server.ask("HEAD", "state"), (200, b""))

    # ---- limits

    def test_a_long_body_is_refused(self):
        # By its announcement: what is refused is not read, so sending it may fail.
        self.refused(*self.server.ask("POST", "what-if", headers={"Content-Length": BODY + 1}), 413)
        status, answer = self.server.post("what-if", b"{" + b" " * (BODY - 2) + b"}")
        self.refused(status, answer, 400)

    def test_an_endless_body_is_cut_off(self):
        head = (f"POST {self.server.base}what-if HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}"
                "\r\nTransfer-Encoding: chunked\r\n\r\n").encode()
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        sent = 0
        with socket.create_connection((self.server.host, self.server.port), timeout=SECONDS) as s:
            s.sendall(head)
            with self.assertRaises(OSError):
                while sent < 64 * BODY:
                    s.sendall(chunk)
                    sent += len(chunk)
        self.assertEqual(self.server.get("state")[0], 200)

    def test_long_headers_are_refused(self):
        request = (f"GET {self.server.base} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
                   f"X: {'x' * 100000}\r\n\r\n").encode()
        try:
            answer = self.server.raw(request)
        except ConnectionResetError:
            answer = b""
        self.assertNotIn(b"200 OK", answer)
        self.assertEqual(self.server.get("state")[0], 200)

    def test_who_takes_too_long_is_sent_away(self):
        """One that says nothing, and one that says a byte now and then."""
        took = {}

        def stay(name, drips):
            begun = time.monotonic()
            with socket.create_connection((self.server.host, self.server.port), timeout=1) as s:
                s.sendall(b"GET / HTTP/1.1\r\n")
                while time.monotonic() - begun < 3 * REQUEST_SECONDS:
                    try:
                        if s.recv(1024) == b"":
                            break
                    except socket.timeout:
                        pass
                    except OSError:
                        break
                    try:
                        if drips:
                            s.sendall(b"x")
                    except OSError:
                        break
            took[name] = time.monotonic() - begun

        threads = [threading.Thread(target=stay, args=a) for a in (("idle", 0), ("drips", 1))]
        for thread in threads:
            thread.start()
        self.assertEqual(self.server.get("state")[0], 200)
        for thread in threads:
            thread.join()
        self.assertLess(took["idle"], REQUEST_SECONDS)
        self.assertLess(took["drips"], 2 * REQUEST_SECONDS)
        self.assertGreater(took["drips"], IDLE_SECONDS)

    def test_a_crowd_does_not_keep_others_out_for_good(self):
        crowd = []
        try:
            for _ in range(200):
                crowd.append(socket.create_connection((self.server.host, self.server.port), 5))
        except OSError:
            pass
        for s in crowd:
            s.close()
        self.assertEqual(self.server.get("state")[0], 200)

    def test_noise_is_survived(self):
        for noise in (b"\x00" * 100, b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01" + bytes(200),
                      b"GET /\xff\xfe HTTP/1.1\r\nHost: \xff\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n"):
            with socket.create_connection((self.server.host, self.server.port), 5) as s:
                s.sendall(noise)
                s.shutdown(socket.SHUT_WR)
                try:
                    self.assertNotIn(b" 200 ", s.recv(4096))
                except OSError:
                    pass
        self.assertEqual(self.server.get("state")[0], 200)

    # ---- bodies

    def test_bad_json_is_refused(self):
        bodies = [b"", b"{", b"[]", b"null", b"{}" * 2, b"[" * 100000, b'{"a":' * 5000,
                  b'{"labels":\xff}', b'{"a":1,"a":2}', b'{"a":"\x00"}', b"\xef\xbb\xbf{}"]
        for path in ("what-if", "models", "features", "v2/models/opine/infer"):
            for body in bodies:
                self.refused(*self.server.post(path, body), 400)

    def test_labels_that_cannot_be_are_refused(self):
        def label(**of):
            return {"model": 0, "labels": [{"node": 1, "class": 0} | of]}

        for body, words in (
                (label(node=-1), "node"), (label(node=10**18), "node"), (label(node="1"), "node"),
                (label(node=1.0), "node"), (label(**{"class": 99}), "class"),
                (label(**{"class": "0"}), "class"), ({"model": 7, "labels": []}, "model"),
                ({"model": 0}, "labels"), ({"model": 0, "labels": {}}, "labels"),
                ({"model": 0, "labels": [1]}, "node"), ({}, "model"),
                ({"model": 0, "labels": [{"node": 1, "class": 0}] * 2}, "two labels"),
                ({"model": 0, "labels": [{"node": 0, "class": 0}] * 10001}, "10000")):
            self.refused(*self.server.post("what-if", body), 400, words)

    def test_models_that_cannot_be_are_refused(self):
        for body in ({"model": "nope"}, {"model": 1}, {"model": "gcn,sage"}, {},
                     {"model": "gcn", "seed": -1}, {"model": "gcn", "seed": 1e300},
                     {"model": "gcn", "seed": "1"}):
            self.refused(*self.server.post("models", body), 400)

    def test_features_are_found_by_name(self):
        status, found = self.server.post("features", {"find": "1"})
        self.assertEqual(status, 200)
        self.assertTrue(all("1" in f["name"] for f in found["features"]))
        first = found["features"][0]
        status, nodes = self.server.post("features", {"feature": first["feature"]})
        self.assertEqual((status, nodes["total"]), (200, first["nodes"]))
        self.assertEqual(len(nodes["nodes"]), min(10000, first["nodes"]))
        self.assertEqual(self.server.post("features", {"find": "no such"})[1], {"features": []})
        for body in ({}, {"feature": -1}, {"feature": 10**9}, {"find": 3}, {"feature": "0"}):
            self.refused(*self.server.post("features", body), 400)

    # ---- predictions for other programs

    def infer(self, data, kind="INT64", shape=None, **more):
        tensor = {"name": "nodes", "shape": shape or [len(data)], "datatype": kind, "data": data}
        return self.server.post("v2/models/opine/infer", {"inputs": [tensor]} | more)

    def test_inference_says_what_predict_says(self):
        opine("predict", "m.safetensors", "demo", "-o", "p.json", "-q", folder=self.root)
        said = json.loads((self.root / "p.json").read_text())["nodes"]
        about = self.server.get("v2/models/opine")[1]
        nodes = [5, 0, len(said) - 1, 5]
        for data, kind in ((nodes, "INT64"), ([str(i) for i in nodes], "BYTES")):
            status, answer = self.infer(data, kind, id="me")
            self.assertEqual((status, answer["id"], answer["model_name"]), (200, "me", "opine"))
            outputs = {t["name"]: t for t in answer["outputs"]}
            self.assertEqual([(t["name"], t["datatype"]) for t in answer["outputs"]],
                             [(t["name"], t["datatype"]) for t in about["outputs"]])
            k = len(about["parameters"]["classes"])
            self.assertEqual(outputs["p"]["shape"], [len(nodes), k])
            for at, i in enumerate(nodes):
                self.assertEqual(outputs["label"]["data"][at], said[i]["predicted"])
                for name in ("vacuity", "dissonance", "entropy", "confidence"):
                    self.assertAlmostEqual(outputs[name]["data"][at], said[i][name], places=6)
                self.assertAlmostEqual(sum(outputs["p"]["data"][at * k : at * k + k]), 1, places=5)

    def test_inference_gives_the_outputs_that_are_named(self):
        _, answer = self.infer([3], outputs=[{"name": "entropy"}, {"name": "label"}])
        self.assertEqual([t["name"] for t in answer["outputs"]], ["entropy", "label"])
        self.assertEqual(self.infer([])[1]["outputs"][0]["data"], [])

    def test_inference_refuses_what_it_cannot_answer(self):
        for wrong in (self.infer([10**9]), self.infer([-1]), self.infer(["nobody"], "BYTES"),
                      self.infer([1.5]), self.infer(["1"]), self.infer([1], "BYTES"),
                      self.infer([1], "FP32"), self.infer([1], shape=[2]),
                      self.infer([1], shape=[1, 2]), self.infer([1], shape=["1"]),
                      self.infer([0] * 65537), self.infer([1], outputs=[{"name": "nothing"}]),
                      self.infer([1], outputs=[{}]), self.infer([1], outputs=[{"name": "p"}] * 99),
                      self.server.post("v2/models/opine/infer", {"inputs": []}),
                      self.server.post("v2/models/opine/infer", {"inputs": [{"name": "x"}]})):
            self.refused(*wrong, 400)
        for path in ("v2/models/other", "v2/models/opine/infer", "v2/models/opinex", "v2/", "v2x"):
            self.refused(*self.server.get(path), 404)

    def test_the_server_describes_itself(self):
        self.assertEqual(self.server.get("v2")[1]["name"], "opine")
        self.assertEqual(self.server.get("v2/health/live")[1], {"live": True})
        self.assertEqual(self.server.get("v2/models/opine/ready")[1],
                         {"name": "opine", "ready": True})

    def test_curl_gets_a_prediction(self):
        if not shutil.which("curl"):
            self.skipTest("there is no curl")
        body = '{"inputs":[{"name":"nodes","shape":[1],"datatype":"INT64","data":[0]}]}'
        made = subprocess.run(
            ["curl", "-sS", "--fail", "--path-as-is", "--noproxy", "*", "-H",
             f"Authorization: Bearer {self.server.token}", "-d", body,
             f"http://127.0.0.1:{self.server.port}/v2/models/opine/infer"],
            capture_output=True, text=True, timeout=SECONDS, check=True)
        self.assertEqual(json.loads(made.stdout)["outputs"][0]["name"], "label")


class WhatIf(unittest.TestCase):
    """Each test has a server of its own, since it changes what that shows."""

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="opine_explore."))
        self.addCleanup(shutil.rmtree, self.root)

    def serve(self, data="own.npz", *train, listen=()):
        if data == "own.npz" and not (self.root / data).exists():
            opine("data", "generate", "--nodes", "300", "--classes", "3", "--seed", "5", "-o", data,
                  "-q", folder=self.root)
        if train or not (self.root / "m.safetensors").exists():
            opine("train", data, *(train or TRAIN), "-o", "m.safetensors", "-q", folder=self.root)
        try:
            server = Server(self.root, "m.safetensors", data, *listen)
        except AssertionError as error:
            if "built without" in str(error):
                self.skipTest(str(error))
            raise
        self.addCleanup(server.stop)
        return server

    def with_labels(self, server, data, edits):
        """A copy of the data that has these labels, and the roles that the model gave."""
        opine("predict", "m.safetensors", data, "-o", "p.csv", "-q", folder=self.root)
        opine("data", "convert", data, "-o", "edited", "-q", folder=self.root)
        rows = [line.split(",") for line in (self.root / "p.csv").read_text().splitlines()[1:]]
        roles = {row[0]: row[1] for row in rows}
        path = self.root / "edited" / "labels.csv"
        labels = dict(line.split(",") for line in path.read_text().splitlines()[1:])
        for node, k in edits.items():
            labels[str(node)] = "" if k is None else str(k)
            roles[str(node)] = "unlabelled" if k is None else "train"
        path.write_text("node,label\n" + "".join(f"{i},{k}\n" for i, k in labels.items()))
        (self.root / "edited" / "split.csv").write_text(
            "node,role\n" + "".join(f"{i},{r}\n" for i, r in roles.items()))
        return roles

    def parameters(self):
        """Every parameter of the model as an option."""
        _, about = tensors((self.root / "m.safetensors").read_bytes())
        given = {k[6:]: v for k, v in about.items() if k.startswith("param.")}
        given["model"] = about["model"]
        # Classes that are held out of a dataset by its name are named for other data.
        labels = (self.root / "edited" / "labels.csv").read_text().splitlines()[1:]
        classes = {line.split(",")[1] for line in labels} - {""} - set(json.loads(about["classes"]))
        given["ood_classes"] = ",".join(sorted(classes))
        return [word for k, v in given.items() if v not in ("", "on", "off")
                for word in (f"--{k.replace('_', '-')}", v)]

    def expect_bits_of_a_fresh_training(self, data, *train):
        server = self.serve(data, *train)
        opine("predict", "m.safetensors", data, "-o", "p.csv", "-q", folder=self.root)
        rows = [line.split(",") for line in (self.root / "p.csv").read_text().splitlines()[1:]]
        of = {role: [int(r[0]) for r in rows if r[1] == role] for role in ("train", "test", "pool")}
        new = (of["test"] or of["pool"] or of["train"])[7]
        edits = {of["train"][0]: 1, of["train"][1]: None, new: 0}
        self.with_labels(server, data, edits)
        status, _ = server.post("what-if", {"model": 0, "labels": [
            {"node": node, "class": k} for node, k in edits.items()]})
        self.assertEqual(status, 202)
        self.assertEqual(server.finish_work()["status"], "done")
        status, served = server.get("what-if/model")
        opine("train", "edited", *self.parameters(), "-o", "fresh.safetensors", "-q",
              folder=self.root)
        fresh, about = tensors((self.root / "fresh.safetensors").read_bytes())
        what_if, said = tensors(served)
        self.assertEqual(what_if, fresh)
        for key in ("data_hash", "split_hash", "calibration", "validation_nll"):
            self.assertEqual(said.get(key), about.get(key), key)
        base, _ = tensors((self.root / "m.safetensors").read_bytes())
        self.assertNotEqual(base, fresh)

    def test_a_what_if_has_the_bits_of_a_fresh_training(self):
        self.expect_bits_of_a_fresh_training("demo")

    def test_so_it_has_where_classes_are_held_out(self):
        self.expect_bits_of_a_fresh_training("demo", *TRAIN, "--task", "ood")

    def test_so_it_has_for_own_data_and_an_ensemble(self):
        self.expect_bits_of_a_fresh_training("own.npz", "--epochs", "30", "--members", "2")

    def test_what_the_page_gets_is_what_the_model_says(self):
        server = self.serve()
        server.post("what-if", {"model": 0, "labels": [{"node": 3, "class": 1}]})
        server.finish_work()
        data = server.get("what-if")[1]
        self.assertEqual(len(data["about"]["views"]), 1)
        (self.root / "w.safetensors").write_bytes(server.get("what-if/model")[1])
        self.with_labels(server, "own.npz", {3: 1})
        opine("predict", "w.safetensors", "edited", "-o", "w.csv", "-q", folder=self.root)
        head, *rows = [line.split(",") for line in (self.root / "w.csv").read_text().splitlines()]
        block = base64.b64decode(data["numbers"])
        array = next(a for a in data["about"]["arrays"] if a["name"] == "0.vacuity")
        values = struct.unpack_from(f"<{array['length']}f", block, array["offset"])
        at = head.index("vacuity")
        for row, value in zip(rows, values, strict=True):
            self.assertAlmostEqual(float(row[at]), value, places=6)
        self.assertEqual(rows[3][1], "train")

    def test_no_labels_undo_a_what_if(self):
        server = self.serve()
        self.assertEqual(server.get("what-if")[0], 404)
        server.post("what-if", {"model": 0, "labels": [{"node": 3, "class": 1}]})
        server.finish_work()
        self.assertEqual(server.get("state")[1]["what_if"]["labels"], [{"node": 3, "class": 1}])
        self.assertEqual(server.post("what-if", {"model": 0, "labels": []})[1]["what_if"], None)
        self.assertEqual(server.get("what-if")[0], 404)

    def test_a_training_is_cancelled_and_only_one_runs(self):
        server = self.serve()
        # Attention trains for long, and says how far it has come.
        self.assertEqual(server.post("models", {"model": "s-bgat-t-k"})[0], 202)
        self.assertEqual(server.post("models", {"model": "gcn"})[0], 409)
        self.assertEqual(server.post("what-if", {"model": 0, "labels": []})[0], 409)
        while not (work := server.get("state")[1]["work"])["done"]:
            self.assertEqual(work["status"], "running")
        self.assertGreater(work["total"], 0)
        server.post("cancel", "")
        self.assertEqual(server.finish_work()["status"], "cancelled")
        self.assertEqual(server.get("state")[1]["models"], 1)
        server.post("what-if", {"model": 0, "labels": [{"node": 3, "class": 1}]})
        self.assertEqual(server.finish_work()["status"], "done")

    def test_a_model_that_the_page_trains_is_that_of_opine_train(self):
        server = self.serve()
        self.assertEqual(server.post("models", {"model": "gcn", "seed": 3})[0], 202)
        self.assertEqual(server.finish_work()["status"], "done")
        opine("train", "own.npz", "--model", "gcn", "--seed", "3", "-o", "gcn.safetensors", "-q",
              folder=self.root)
        self.assertTrue(server.get("models/1")[1] == (self.root / "gcn.safetensors").read_bytes())
        self.assertTrue(server.get("models/0")[1] == (self.root / "m.safetensors").read_bytes())
        self.assertIn(b'"model":"gcn"', server.get("")[1])
        self.assertEqual(server.get("models/2")[0], 404)

    def test_what_fails_says_why(self):
        server = self.serve("own.npz", "--model", "gcn", "--epochs", "5")
        rows = opine("predict", "m.safetensors", "own.npz", folder=self.root).splitlines()[1:]
        training = [int(r.split(",")[0]) for r in rows if r.split(",")[1] == "train"]
        server.post("what-if", {"model": 0, "labels": [{"node": i, "class": None}
                                                       for i in training]})
        work = server.finish_work()
        self.assertEqual(work["status"], "failed")
        self.assertIn("train", work["error"])
        self.assertEqual(server.get("what-if")[0], 404)

    def test_a_model_of_another_graph_has_no_what_if(self):
        opine("data", "generate", "--nodes", "200", "--seed", "1", "-o", "a.npz", "-q",
              folder=self.root)
        opine("data", "generate", "--nodes", "200", "--seed", "2", "-o", "b.npz", "-q",
              folder=self.root)
        opine("train", "a.npz", "--model", "s-bgcn", "--epochs", "5", "-o", "m.safetensors", "-q",
              folder=self.root)
        server = self.serve("b.npz")
        status, answer = server.post("what-if", {"model": 0,
                                                 "labels": [{"node": 3, "class": 1}]})
        self.assertEqual(status, 400)
        self.assertIn("another graph", answer["error"])

    # ---- the command

    def test_a_signal_ends_it_even_while_it_trains(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server = self.serve()
            server.post("models", {"model": "s-bgat-t-k"})
            code, stderr = server.stop(number)
            self.assertEqual(code, 130, stderr)
            with self.assertRaises(OSError):
                socket.create_connection((server.host, server.port), 5).close()

    def test_it_listens_where_it_is_told(self):
        server = self.serve(listen=["--listen", "localhost:0"])
        self.assertEqual(server.host, "localhost")
        self.assertEqual(server.get("state")[0], 200)
        wide = self.serve(listen=["--listen", "0.0.0.0"])
        self.assertEqual(wide.get("state")[0], 200)
        self.assertEqual(wide.get("state", headers={"Host": f"10.1.2.3:{wide.port}"})[0], 200)
        self.assertEqual(wide.get("state", headers={"Host": f"evil.example:{wide.port}"})[0], 403)
        self.assertIn("other machines can reach", wide.stop()[1])
        taken = subprocess.run([PROGRAM, "explore", "m.safetensors", "--listen",
                                f"127.0.0.1:{server.port}"], cwd=self.root, env=environment(),
                               capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(taken.returncode, 2)
        self.assertIn("cannot be listened on", taken.stderr)

    def test_json_gives_the_address_as_a_document(self):
        self.serve().stop()
        process = subprocess.Popen([PROGRAM, "explore", "m.safetensors", "--json", "-q"],
                                   cwd=self.root, stdout=subprocess.PIPE, env=environment())
        line = b""
        while b"}" not in line:
            line += process.stdout.readline()
        self.assertRegex(json.loads(line)["address"], r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
