"""Measurements of the tool against second implementations. A module that has some registers them by
`@measurement(name)`; main.py runs them by name, or all of them."""
import json

CHECKS = {}


def measurement(name):
    def add(check):
        CHECKS[name] = check
        return check
    return add


def report(session, engine, arguments):
    """The JSON documents of a command on an engine; None, and a failure, where it fails."""
    device = ['--device', 'vulkan' if engine == 'vulkan' else 'cpu']
    done = session.tool.call(arguments + ['--json', '--quiet'] + device, engine)
    if done.returncode:
        session.fail('%s [%s]: %s' % (' '.join(arguments), engine, done.stderr.strip()))
        return None
    return [json.loads(line) for line in done.stdout.splitlines()]


def judge(session, what, wrong):
    """Counts a check: `wrong` says what is wrong, or is empty."""
    if wrong:
        session.fail('%s: %s' % (what, wrong))
    else:
        session.passed += 1
