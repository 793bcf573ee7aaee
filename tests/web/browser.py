# SPDX-License-Identifier: MIT
"""Drives Debian's Chromium by chromedriver: WebDriver over HTTP, with the standard library."""
import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010", "Shift": "\ue008",
        "Control": "\ue009"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
START_SECONDS_MAX = 60


def missing():
    """Return why there is no browser, or None."""
    for program in "chromium", "chromedriver":
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Browser:
    """A headless browser with one window."""

    def __init__(self):
        port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}", "--log-level=OFF"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.session = ""
        self.wait_for_driver()
        arguments = ["--headless=new", "--hide-scrollbars", "--force-device-scale-factor=1",
                     "--disable-dev-shm-usage", "--disable-gpu"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium as root starts no other way
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = f"/session/{answer['sessionId']}"
        # axe-core looks at each of tens of thousands of elements; other load may take most of the machine.
        self.call("POST", "/timeouts", {"script": 110 * 1000})

    def wait_for_driver(self):
        end = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                urllib.request.urlopen(self.base + "/status", timeout=5).read()
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + self.session + path, method=method, data=data,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    # ---- pages

    def open(self, path, place=""):
        """Open a file anew, and wait until its page is made."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.logs("performance")
        self.call("POST", "/url", {"url": f"file://{path}{place}"})
        self.until("return document.documentElement.hasAttribute('data-ready')")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def inaccessible(self, axe):
        """Return what axe-core, read from that path, finds serious or critical in the page."""
        self.run(axe.read_text(encoding="utf-8") + "; window.axe = axe;")
        return self.run_async("""const end = arguments[arguments.length - 1];
            axe.run(document, {resultTypes: ['violations']}).then(r => end(r.violations
                .filter(v => ['serious', 'critical'].includes(v.impact))
                .map(v => [v.id, v.nodes.slice(0, 4).map(n => n.html.slice(0, 160) + ' ' + (n.any[0] ? n.any[0].message : ''))])))""")

    def until(self, script, seconds=30):
        """Wait until a script returns something true; return that, or None if it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.03)
        return None

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=False)

    def scheme(self, name):
        """Set the system's colours, and wait until the page has followed them."""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])
        self.until(f"return document.documentElement.dataset.scheme === '{name}'", 5)

    def screenshot(self, path, height=None):
        parameters = {"format": "png"}
        if height:
            width = self.run("return document.documentElement.clientWidth")
            parameters.update(captureBeyondViewport=True,
                              clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.devtools("Page.captureScreenshot", **parameters)["data"]))

    # ---- what happened

    def logs(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def complaints(self):
        """Return messages of the console since the last call: errors, and what the policy refused."""
        return [entry["message"] for entry in self.logs("browser")]

    def requests(self):
        """Return addresses that the page asked for since it was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.logs("performance")]
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]

    # ---- what a user does

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys, held=()):
        actions = [{"type": "keyDown", "value": KEYS.get(key, key)} for key in held]
        for key in keys:
            actions += [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
        actions += [{"type": "keyUp", "value": KEYS.get(key, key)} for key in held]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def wheel(self, selector, by, held=None):
        element = self.find(selector)
        rect = self.run("const r = arguments[0].getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]",
                        {ELEMENT: element})
        self.devtools("Input.dispatchMouseEvent", type="mouseWheel", x=rect[0], y=rect[1], deltaX=0, deltaY=by,
                      modifiers=2 if held == "Control" else 0)

    def focused(self):
        return self.run("return document.activeElement.className + ' ' + document.activeElement.tagName")
