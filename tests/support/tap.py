# SPDX-License-Identifier: MIT
"""A TAP producer for scripts that test the command."""

count = failures = 0


def ok(good, what, *shown):
    """One test; what is `shown` if it failed says why."""
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    if not good:
        for text in shown:
            print("# " + repr(text)[:2000])
    return good


def skip(what, why):
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {why}", flush=True)


def finish():
    """The exit status."""
    print(f"1..{count}")
    return 1 if failures else 0
