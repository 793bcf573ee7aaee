#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt serve over HTTP: who may ask, what is answered, and what hostile clients get.

run.py TAKT [REQUESTS]: with a number, only that many requests are sent, and the server's memory is watched.
"""
import json
import os
import pathlib
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "serve")]
from serve_client import Server  # noqa: E402
from tap import comment, finish, ok, skip, skip_all  # noqa: E402

TAKT = pathlib.Path(sys.argv[1]).resolve()
LOOP = b".L4:\n\tvmovupd (%rcx,%rax), %ymm4\n\tvfmadd231pd (%rsi,%rax), %ymm4, %ymm1\n\taddq $32, %rax\n\tcmpq %rax, %rdi\n\tjne .L4\n"
ANSWERS_TIMED = 40
ASM = "analyze?core=SKX&format=asm"
# A loop that takes long to analyze: many instructions, and every change tried.
LONG = b".L1:\n" + b"\tvaddpd %ymm1, %ymm2, %ymm3\n\timulq %rax, %rbx\n\tmovq (%rdi,%rax,8), %rdx\n" * 30000 + b"\tjne .L1\n"
LONG_TARGET = "analyze?format=asm&sensitivity=full" + "".join(f"&core={core}" for core in ("SKX", "ZEN4", "ICL", "SPR", "ZEN2"))
WAIT_SECONDS = 20
LARGE_BYTES = 10_000_000


def until(condition, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


# ---- who may ask

def check_guard(server):
    own = f"127.0.0.1:{server.port}"
    status, headers, page = server.ask("")
    ok(status == 200 and b"<!doctype html>" in page, "the page")
    policy = headers["Content-Security-Policy"]
    ok("default-src 'none'" in policy and "script-src 'sha256-" in policy and "connect-src 'self'" in policy
       and "frame-ancestors 'none'" in policy and "unsafe" not in policy, "its policy", policy)
    ok(headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
       and headers["Cache-Control"] == "no-store" and headers["Cross-Origin-Resource-Policy"] == "same-origin",
       "headers that keep others out", dict(headers))
    ok("Access-Control-Allow-Origin" not in headers and "Set-Cookie" not in headers, "and none that lets them in")
    wrong = ("0" if server.token[0] != "0" else "1") + server.token[1:]
    for token in wrong, "", server.token[:-1], server.token + "0", "../" + server.token, "%2e%2e/" + server.token:
        status, _, data = server.ask("cores", token=token)
        ok(status == 404 and data == b"refused\n", f"the token '{token[:6]}…' of {len(token)} characters is refused", status, data)
    for host in "evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}", f"0.0.0.0:{server.port}":
        ok(server.ask("cores", headers={"Host": host})[0] == 403, f"so is the host {host.split(':')[0]}")
    for origin in "http://evil.example", "null", f"https://{own}", f"http://{own}.evil.example":
        ok(server.ask(ASM, LOOP, headers={"Origin": origin})[0] == 403, "so is another origin")
    ok(server.ask(ASM, LOOP, headers={"Sec-Fetch-Site": "cross-site"})[0] == 403, "so is another site")
    ok(server.ask(ASM, LOOP, headers={"Origin": f"http://{own}", "Sec-Fetch-Site": "same-origin"})[0] == 200, "our page may ask")
    ok(server.ask("cores", method="DELETE")[0] == 405, "another method is refused")
    ok(server.raw(f"GET /{server.token}/cores HTTP/1.1\r\n\r\n".encode()).split(b" ")[1] in (b"400", b"403"), "no host is refused")
    listening = subprocess.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"], capture_output=True, text=True, check=False).stdout
    places = [line.split()[1] for line in listening.splitlines() if line.split()[1].endswith(f":{server.port:04X}") and line.split()[3] == "0A"]
    ok(places == [f"{struct.unpack('=I', socket.inet_aton('127.0.0.1'))[0]:08X}:{server.port:04X}"], "it listens on 127.0.0.1 alone", places)


# ---- answers

def check_answers(server):
    status, known = server.json("cores")
    names = [core["name"] for core in known["cores"]]
    ok(status == 200 and "SKX" in names and "V2" in names, "the cores")
    command = json.loads(subprocess.run([TAKT, "analyze", "--arch=SKX", "--format=json", "-"], input=LOOP, capture_output=True, check=True).stdout)
    status, answer = server.json(ASM, LOOP)
    same = {key: value for key, value in answer["regions"][0].items() if key not in ("file",) and command.get(key) != value}
    # The command names the file that it read, "-".
    same.pop("instructions", None)
    ok(status == 200 and not same and answer["regions"][0]["cycles_per_iteration"] == 4, "the answer is what takt analyze writes", same)
    ok(answer["region_names"] and answer["timelines"][0] and "cycles per iteration" in answer["texts"][0] and answer["bytes"].startswith("c5fd1024"),
       "with regions, timeline, text and bytes")
    _, answer = server.json("analyze?core=SKX&core=ZEN4&core=V2&format=asm", LOOP)
    ok([region["arch"] for region in answer["regions"]] == ["SKX", "ZEN4"] and answer["failures"][0]["core"] == "V2",
       "several cores; one that cannot execute the code says so", answer["failures"])
    _, answer = server.json("analyze?core=SKX&format=asm&set=issue_width%3D1", LOOP)
    ok(answer["regions"][0]["bounds"]["issue"] == 5, "a core with another parameter", answer["regions"][0]["bounds"])
    _, answer = server.json("analyze?core=SKX&format=asm&set=rob%3D20", LOOP)
    ok("no parameter 'rob'" in answer["failures"][0]["message"], "an unknown parameter", answer["failures"])
    _, answer = server.json("analyze?core=V2&format=asm", b"add x0, x0, x1\n")
    ok(answer["regions"][0]["cycles_per_iteration"] == 1, "AArch64")
    _, answer = server.json("analyze?core=llvm%3Ariscv64%3Asifive-u74&format=asm", b"mul a0, a0, a1\n")
    ok(answer["regions"][0]["cycles_per_iteration"] == 3, "RISC-V")
    _, answer = server.json("analyze?core=SKX&format=hex", b"48 0f af c2")
    ok(answer["regions"][0]["cycles_per_iteration"] == 3, "hexadecimal digits")
    _, answer = server.json(ASM, b"add %rax, %rbx\n\tnonsense %rax\n")
    ok("code:2:2: error" in answer["error"] and "^" in answer["error"], "an error has its place and a caret", answer)
    _, answer = server.json("parameters?core=SKX")
    rob = next(one for one in answer["parameters"] if one["name"] == "rob_entries")
    ok(rob["value"] == 224 and rob["unit"] == "µops" and rob["help"], "parameters with value, unit and meaning", rob)
    for target in "nothing", "analyze?core=%4", "analyze?nose=1", "measure?hex=zz":
        status, answer = server.json(target, b"")
        ok(status in (400, 403) and "error" in answer, f"'{target}' is refused", status, answer)
    status, answer = server.json("measure?hex=90&mode=unroll", b"")
    ok(status == 403 and "turned off" in answer["error"], "measuring is off unless it was turned on", answer)


def check_objects(server, folder):
    if not shutil.which("gcc"):
        skip("objects and compilers", "there is no gcc")
        return
    source = pathlib.Path(folder) / "sum.c"
    source.write_text("double sum(const double *a, long n)\n{\n\tdouble s = 0;\n\tfor (long i = 0; i < n; i++)\n\t\ts += a[i];\n\treturn s;\n}\n")
    subprocess.run(["gcc", "-O2", "-g", "-c", "-o", source.with_suffix(".o"), source], check=True)
    data = source.with_suffix(".o").read_bytes()
    _, answer = server.json("analyze?core=SKX", data)
    ok(answer["regions"][0]["cycles_per_iteration"] == 4, "an object file")
    ok(answer["sources"] == [], "source files of a stranger's object are not read")
    for cut in range(4, len(data), len(data) // 12):
        status, answer = server.json("analyze?core=SKX", data[:cut])
        if not ok(status == 200 and (answer.get("error") or answer.get("regions") is not None), f"its first {cut} bytes give an answer", answer):
            break
    _, answer = server.json("analyze?core=SKX&compiler=gcc&flags=-O2", source.read_bytes())
    ok(answer["regions"][0]["cycles_per_iteration"] == 4 and any("s += a[i]" in text for text in answer["sources"][0]["lines"].values()),
       "C is compiled, and its lines are shown", answer)
    _, answer = server.json("analyze?core=SKX&compiler=gcc&flags=-O2", b"int f( {\n")
    ok("code.c:1:8: error" in answer["compiler_messages"] and "did not compile" in answer["error"], "an error of the compiler", answer)
    for flags in "-fplugin=x.so", "-o+/tmp/x", "-Wl,-o,x", "-B/tmp", "-I/", "@/etc/passwd", "-DX=$(id)":
        _, answer = server.json(f"analyze?core=SKX&compiler=gcc&flags={flags.replace('+', '%2B')}", b"int x;")
        ok("not allowed" in answer["error"], f"the flag '{flags}' is refused", answer)
    _, answer = server.json("analyze?core=SKX&compiler=/bin/sh", b"int x;")
    ok("no compiler" in answer["error"], "so is any other program", answer)
    begin = time.monotonic()
    bomb = b"#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(B(x)))\nint a[] = { C(C(1,)) };\n"
    status, answer = server.json("analyze?core=SKX&compiler=gcc", bomb)
    ok("error" in answer and time.monotonic() - begin < 30, "source code that takes a compiler for ever ends", status, answer)


OSACA = """#!/bin/sh
[ "$1 $2 $3 $4" = "--arch SKX --ignore-unknown --yaml-out" ] || { echo "no such architecture"; exit 1; }
printf 'Summary:\\n  PortPressure:\\n    0: 1.5\\n    1: 3.25\\n  CriticalPath: 70.0\\n  LCD: 2.0\\n' > "$5"
cat "$6" >&2; env >&2
[ "$(grep -c . "$6")" = 5 ] || sleep 100
"""
MCA = """#!/bin/sh
case "$*" in *-mcpu=skylake-avx512*) ;; *) echo "not a recognized processor"; exit 1;; esac
grep -v '^[a-z][a-z0-9]* [%$(0-9]' > MISUSED && { echo "a line that is no instruction"; exit 1; }
echo "Total Cycles:      410"
"""


def check_peers(folder):
    """Other predictors get takt's own text of the instructions, and their answers are figures or words."""
    tools = pathlib.Path(folder) / "tools"
    tools.mkdir()
    for name, text in (("osaca", OSACA), ("llvm-mca-21", MCA.replace("MISUSED", str(tools / "misused")))):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{tools}:{before}"
    os.environ["TAKT_SECRET"] = "secret"
    server = Server(TAKT, "--time-limit=5")
    off = Server(TAKT, "--no-compile")
    os.environ["PATH"] = before
    del os.environ["TAKT_SECRET"]
    ok(server.json("cores")[1]["predictors"] == ["llvm-mca-21", "osaca"], "other predictors are listed")
    code = server.json(ASM, LOOP)[1]["bytes"]
    _, answer = server.json(f"predict?core=SKX&core=ZEN5&hex={code}", b"")
    found = {(one["core"], one["tool"]): one for one in answer["predictions"]}
    ok(found["SKX", "llvm-mca-21"]["cycles"] == 4.1 and found["SKX", "osaca"]["cycles"] == 3.25, "their figures", answer)
    ok(found["ZEN5", "llvm-mca-21"]["cycles"] is None and "not a recognized" in found["ZEN5", "llvm-mca-21"]["reason"] and ("ZEN5", "osaca") not in found,
       "a core that a tool does not know", answer)
    ok("secret" not in json.dumps(answer), "they do not have the user's environment")
    for hex_digits in "", "zz", "9", "06":
        answer = server.json(f"predict?core=SKX&hex={hex_digits}", b"")[1]
        ok("error" in answer and not answer.get("predictions"), f"'{hex_digits}' is refused", answer)
    begin = time.monotonic()
    status, answer = server.json(f"predict?core=SKX&hex={code}{code}", b"")
    ok(status == 503 and time.monotonic() - begin < 20 and until(lambda: not server.children()), "a predictor that hangs is ended", status, answer)
    status, answer = off.json(f"predict?core=SKX&hex={code}", b"")
    ok(status == 403 and "turned off" in answer["error"], "--no-compile turns them off, too", answer)
    for one in server, off:
        one.close()


# ---- many, slow and hostile clients

def check_ten(server):
    """Ten users at once, each of whom types."""
    times, wrong = [], []

    def user(number):
        for key in range(5):
            begin = time.monotonic()
            chain = 1 + (number + key) % 4
            code = b"".join(b"imul %rax, %rax\n" for _ in range(chain))
            _, answer = server.json(ASM + "&whole=yes", code)
            times.append(time.monotonic() - begin)
            if answer["regions"][0]["cycles_per_iteration"] != 3 * chain:
                wrong.append((number, key, answer["regions"][0]["cycles_per_iteration"]))

    threads = [threading.Thread(target=user, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ok(len(times) == 50 and not wrong, "ten users at once get their own answers", wrong)
    comment(f"50 answers of ten users: median {1000 * statistics.median(times):.0f} ms, longest {1000 * max(times):.0f} ms")


def check_speed(server):
    """
    Answers for a loop of 50 instructions. Their times are reported only: how busy a machine is decides them, and 150 ms is
    what a user should wait at most.
    """
    code = b".L1:\n" + b"".join((b"vfmadd231pd %ymm0, %ymm1, %ymm2\n", b"addq $8, %rax\n", b"imulq %rbx, %rcx\n", b"movq (%rdi,%rax,8), %rdx\n")[i % 4] for i in range(48)) + b"cmpq %rax, %r9\njne .L1\n"
    times = []
    used = server.cpu_seconds()
    for _ in range(ANSWERS_TIMED):
        begin = time.monotonic()
        status, answer = server.json(ASM, code)
        times.append(time.monotonic() - begin)
    used = (server.cpu_seconds() - used) / ANSWERS_TIMED
    ok(status == 200 and len(answer["regions"][0]["instructions"]) == 50, "a loop of 50 instructions", status, answer)
    comment(f"{ANSWERS_TIMED} answers for 50 instructions, {1000 * used:.0f} ms of CPU time each: " + ", ".join(f"{share} % within {1000 * sorted(times)[int(share / 100 * (len(times) - 1))]:.0f} ms" for share in (10, 50, 90, 100)))


def check_cancelled(server):
    """A client that leaves ends the work on its request."""
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(f"POST /{server.token}/{LONG_TARGET} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {len(LONG)}\r\n\r\n".encode() + LONG)
        started = until(server.children)
        working = server.children()
    ok(started, "a long request has a process")
    ok(until(lambda: not any(os.path.exists(f"/proc/{child}") for child in working), 5), "which ends when the client leaves", working)


def check_hostile(server):
    size = (16 << 20) + 1
    head = f"POST /{server.token}/{ASM} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    answer = server.raw((head + f"Content-Length: {size}\r\n\r\n").encode())
    ok(answer and b" 413 " in answer.split(b"\r\n")[0], "a body of more than 16 MiB is refused before it is sent", answer)
    answer = server.raw((head + "Content-Length: 99999999999999999999\r\n\r\n").encode(), 10)
    ok(answer is None or answer == b"" or answer.split(b" ")[1] in (b"400", b"413"), "so is a size that is no number", answer)
    chunked = (head + "Transfer-Encoding: chunked\r\n\r\n").encode() + (b"100000\r\n" + b"a" * (1 << 20) + b"\r\n") * 17 + b"0\r\n\r\n"
    answer = server.raw(chunked)
    ok(answer == b"" or (answer and b" 413 " in answer), "and one that comes in pieces", answer and answer[:60])
    answer = server.raw(f"GET /{server.token}/cores?{'a' * 200000} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    ok(answer is None or answer == b"" or answer.split(b" ")[1] in (b"400", b"414", b"431"), "a long address", answer and answer[:60])
    for junk in b"\0" * 5000, b"GET\r\n\r\n", b"\xff\xfe" * 100, b"POST / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n":
        server.raw(junk, 3)
    status, answer = server.json(ASM, os.urandom(100000))
    ok("error" in answer, "random bytes as assembly text", str(answer)[:200])
    status, answer = server.json(ASM, b"a:\n" * 1000000)
    ok(status in (200, 503) and ("error" in answer or "regions" in answer), "a million labels", str(answer)[:200])
    _, answer = server.json(ASM, b".incbin \"/etc/passwd\"\n")
    ok("root:" not in json.dumps(answer) and "error" in answer, "assembly text reads no file", answer)
    markup = b"\"</script><script>alert(1)</script>\":\n\timul %rax, %rax # <img src=x onerror=alert(1)>\n"
    status, headers, data = server.ask(ASM, markup)
    ok(headers["Content-Type"] == "application/json", "markup is answered as JSON", headers["Content-Type"])
    ok(server.json(ASM, LOOP)[1]["regions"][0]["cycles_per_iteration"] == 4, "the server answers still")


def check_large(server):
    """10 MB of each kind of text: an answer comes within the time limit, its process ends, and nothing is kept."""
    def fill(piece):
        return piece * (LARGE_BYTES // len(piece) + 1)

    server.json(ASM, LOOP)
    before = server.memory_kib()
    texts = {"instructions": fill(b"\tvaddpd %ymm1, %ymm2, %ymm3\n\timulq (%rdi,%rax,8), %rbx\n"),
             "loops": b"".join(b".L%d:\n\taddq %%rax, %%rbx\n\tdecq %%rcx\n\tjne .L%d\n" % (i, i) for i in range(LARGE_BYTES // 38)),
             "lines that are none": fill(b"<script>alert(1)</script> nonsense %rax\n"),
             "one line": b"\tmovq $" + fill(b"(1+") + b", %rax\n",
             "directives that grow": b".rept 100000\n" + fill(b"\tnop\n") + b".endr\n"}
    for name, text in texts.items():
        ok(len(text) >= LARGE_BYTES * 0.9, f"10 MB of {name}", len(text))
        status, headers, data = server.ask(ASM + "&core=ZEN4", text)
        answer = json.loads(data)
        ok(status in (200, 400, 503) and ("error" in answer or "regions" in answer), f"10 MB of {name} are answered", status, data[:200])
        ok(headers["Content-Type"] == "application/json" and len(data) <= 64 << 20, "as JSON, not too long", headers["Content-Type"], len(data))
        ok(until(lambda: not server.children()), "and its process has ended", server.children())
    ok(until(lambda: server.memory_kib() < before + 64 * 1024), "the server keeps nothing of it", before, server.memory_kib())
    ok(server.json(ASM, LOOP)[1]["regions"][0]["cycles_per_iteration"] == 4, "and answers others")


def check_slow(server):
    """Clients that send a byte a second hold their connections for 30 s; others are answered meanwhile."""
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    for client in clients:
        client.sendall(f"POST /{server.token}/{ASM} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 1000\r\n\r\n".encode())
    ok(server.json(ASM, LOOP)[1]["regions"][0]["cycles_per_iteration"] == 4, "40 slow clients do not keep others waiting")
    begin = time.monotonic()
    closed = 0
    while time.monotonic() - begin < 45 and closed < len(clients):
        closed = 0
        for client in clients:
            try:
                client.settimeout(0.01)
                client.sendall(b"a")
                closed += client.recv(1, socket.MSG_PEEK) == b""
            except TimeoutError:
                pass
            except OSError:
                closed += 1
        time.sleep(1)
    ok(closed == len(clients), f"after {time.monotonic() - begin:.0f} s they are closed, though each sent a byte a second", closed)
    for client in clients:
        client.close()


def check_time_limit():
    server = Server(TAKT, "--time-limit=1")
    begin = time.monotonic()
    status, answer = server.json(LONG_TARGET, LONG)
    ok(status == 503 and "longer than 1 s" in answer["error"] and time.monotonic() - begin < 20, "--time-limit ends long work", status, str(answer)[:200])
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(f"POST /{server.token}/{LONG_TARGET} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {len(LONG)}\r\n\r\n".encode() + LONG)
        until(server.children, 5)
        working = server.children()
        code = server.close()[0]
    ok(code == 0, "it ends by a signal, in the middle of work", code)
    ok(until(lambda: not any(os.path.exists(f"/proc/{child}") for child in working), 5), "and no process is left")


def check_measured():
    server = Server(TAKT, "--measure")
    status, answer = server.json("measure?hex=480fafc0&mode=unroll", b"")
    if "measurements" not in answer:
        skip("measuring", str(answer)[:100])
    else:
        row = answer["measurements"][0]
        ok(status == 200 and row["unit"] == "cycles per iteration" and row["status"] in ("ok", "unstable", "disturbed"), "with --measure code is measured", row)
        row = server.json("measure?hex=0f05&mode=unroll", b"")[1]["measurements"][0]
        ok(row["status"] not in ("ok", "unstable") and row["reason"], "what the sandbox refuses is refused", row)
    server.close()
    server = Server(TAKT, "--no-compile")
    ok(server.json("analyze?compiler=gcc", b"int x;")[0] == 403, "with --no-compile nothing is compiled")
    server.close()


def check_options():
    for words, wanted in ((["--port=70000"], "'--port'"), (["--time-limit=0"], "time-limit"), (["x"], "no operands")):
        run = subprocess.run([TAKT, "serve", *words], capture_output=True, text=True, check=False, timeout=30)
        ok(run.returncode == 2 and wanted in run.stderr, f"takt serve {words[0]} is wrong usage", run.stderr)
    first = Server(TAKT)
    run = subprocess.run([TAKT, "serve", f"--port={first.port}"], capture_output=True, text=True, check=False, timeout=30)
    ok(run.returncode == 1 and f"cannot listen on port {first.port}" in run.stderr, "a port that is taken", run.stderr)
    with tempfile.TemporaryDirectory() as folder:
        opener = pathlib.Path(folder) / "xdg-open"
        opener.write_text(f"#!/bin/sh\necho \"$1\" > {folder}/word\ncp -p \"$1\" {folder}/page\n")
        opener.chmod(0o755)
        process = subprocess.Popen([TAKT, "serve", "--open"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        address = process.stdout.readline().strip()
        until(lambda: (pathlib.Path(folder) / "page").exists(), 10)
        time.sleep(0.1)
        word = (pathlib.Path(folder) / "word").read_text().strip()
        page = pathlib.Path(folder) / "page"
        token = address.split("/")[3]
        ok(address in page.read_text() and token not in word and page.stat().st_mode & 0o077 == 0, "--open names the token in no command line", word)
        process.terminate()
        process.wait()
        ok(not os.path.exists(word) and not os.path.exists(os.path.dirname(word)), "and its file is gone afterwards")
    first.close()


def soak(requests):
    """Memory of the server over many requests from ten clients."""
    server = Server(TAKT)
    left = [100]
    lock = threading.Lock()
    errors = []
    samples = []

    def user():
        while True:
            with lock:
                if left[0] <= 0:
                    return
                left[0] -= 1
                if left[0] % (requests // 10) == 0:
                    samples.append(server.memory_kib())
            try:
                kind = left[0] % 5
                status = server.ask("" if kind == 0 else ASM + "&sensitivity=none", None if kind == 0 else LOOP if kind < 4 else b"nonsense")[0]
                if status != 200:
                    errors.append(status)
            except OSError as error:
                errors.append(error)

    def ten_at_once():
        threads = [threading.Thread(target=user) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    # The server's ten threads and their arenas exist after these; from then on its memory must not grow.
    ten_at_once()
    samples.clear()
    left[0] = requests
    begin = time.monotonic()
    ten_at_once()
    samples.append(server.memory_kib())
    comment(f"{requests} requests in {time.monotonic() - begin:.0f} s; resident KiB: {samples}")
    ok(not errors, f"{requests} requests are answered", errors[:5])
    ok(max(samples) < samples[0] * 1.25 + 2048, "memory does not grow with requests", samples)
    # It notices a moment later that a client has closed its connection.
    ok(until(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) < 20), "no descriptors are left open")
    server.close()


def main():
    try:
        server = Server(TAKT)
    except RuntimeError as error:
        if "takt-http" in str(error):
            skip_all(str(error).splitlines()[0])
        raise
    if len(sys.argv) > 2:
        server.close()
        soak(int(sys.argv[2]))
        return finish()
    with tempfile.TemporaryDirectory() as folder:
        check_guard(server)
        check_answers(server)
        check_objects(server, folder)
        check_peers(folder)
    check_speed(server)
    check_ten(server)
    check_cancelled(server)
    check_hostile(server)
    check_large(server)
    check_slow(server)
    code, output, errors = server.close()
    ok(code == 0 and not output and "error" not in errors, "it ends by a signal, without a word", code, output, errors)
    check_time_limit()
    check_measured()
    check_options()
    soak(100)
    return finish()


sys.exit(main())
