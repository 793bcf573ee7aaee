# SPDX-License-Identifier: MIT
"""A TAP producer for scripts that test the command."""
import sys

count = failures = 0


def comment(text):
    """Prints text that no reader of TAP takes for a result."""
    for line in str(text).splitlines():
        print("# " + line)


def ok(good, what, *shown):
    """One test; what is `shown` if it failed says why. Returns whether it is good."""
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    if not good:
        for text in shown:
            comment(repr(text)[:2000])
    return good


def todo(good, what):
    """A test that is known to fail. That it does not is a failure: the mark is to be struck."""
    global count, failures
    count += 1
    failures += bool(good)
    print(f"{'ok' if good else 'not ok'} {count} - {what} # TODO", flush=True)


def skip(what, why):
    """A test that cannot be made here, and what it needs."""
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {why}", flush=True)


def skip_all(why):
    """Ends a script none of whose tests can be made here."""
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def finish():
    """Prints how many tests there were. Returns the exit status."""
    print(f"1..{count}")
    return 1 if failures else 0
