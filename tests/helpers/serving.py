"""A server of a store, and its application without a server."""

import asyncio
import http.client
import json
import signal
import subprocess
import sys

from ackclock.report.serve.app import application


class Served:
    """A server of its own process."""

    def __init__(self, folder, *options):
        command = [sys.executable, "-m", "ackclock", "serve", str(folder), "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = self.process.stdout.readline()
        assert " is at http://127.0.0.1:" in self.said, self.process.stderr.read()
        self.token = self.said.partition("?token=")[2].partition(";")[0].partition(" ")[0]
        self.port = int(self.said.partition("127.0.0.1:")[2].partition("/")[0])

    @property
    def address(self):
        """Address that a browser opens."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def ask(self, path, method="GET", host=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        given = {"Authorization": f"Bearer {self.token}"} | headers
        headers = {name.replace("_", "-"): value for name, value in given.items() if value is not None}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in ({"Host": host or f"127.0.0.1:{self.port}"} | headers).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def json(self, path):
        answer, body = self.ask(path)
        assert answer.status == 200, body
        return json.loads(body)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        _, error = self.process.communicate(timeout=600)
        return self.process.returncode, error


def asked(folder, path):
    """The status and the body of the answer of a store's application, without a server."""

    async def ask():
        sent = []
        address, _, query = path.partition("?")
        scope = {
            "type": "http", "method": "GET", "path": address, "query_string": query.encode(), "root_path": "",
            "headers": [(b"host", b"localhost")], "http_version": "1.1", "scheme": "http",
        }  # fmt: skip

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        await application(folder)(scope, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])

    return asyncio.run(ask())
