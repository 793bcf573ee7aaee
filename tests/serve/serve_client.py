# SPDX-License-Identifier: MIT
"""Starts `takt serve` and asks it."""
import http.client
import json
import os
import signal
import socket
import subprocess
import urllib.parse


class Server:
    """A running server; `port` and `token` are of its address."""

    def __init__(self, takt, *options):
        self.process = subprocess.Popen([takt, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError(self.process.communicate()[1])
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.token = parts.port, parts.path.strip("/")

    def ask(self, target, body=None, method=None, headers=None, token=None):
        """Return status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        path = f"/{self.token if token is None else token}/{target}"
        connection.request(method or ("GET" if body is None else "POST"), path, body, headers or {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def json(self, target, body=None):
        status, _, data = self.ask(target, body)
        return status, json.loads(data)

    def raw(self, data, seconds=60):
        """
        Send bytes; return what comes until the server closes, or None if nothing comes for some seconds. The answer is empty
        if it is lost because the server has closed while bytes were still being sent.
        """
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as client:
            received = b""
            try:
                client.sendall(data)
                while True:
                    piece = client.recv(65536)
                    if not piece:
                        return received
                    received += piece
                    if b"\r\n\r\n" in received:
                        return received
            except ConnectionError:
                return received
            except TimeoutError:
                return received or None

    def children(self):
        """Return the numbers of the processes that work on requests."""
        tasks = f"/proc/{self.process.pid}/task"
        found = []
        for task in os.listdir(tasks):
            try:
                with open(f"{tasks}/{task}/children", encoding="ascii") as file:
                    found += file.read().split()
            except OSError:
                pass
        return found

    def cpu_seconds(self):
        """Return the CPU time of the server and of the processes that worked on requests and have ended."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def memory_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))

    def close(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        output, errors = self.process.communicate(timeout=30)
        return self.process.returncode, output, errors
