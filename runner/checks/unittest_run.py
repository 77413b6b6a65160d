"""Runs single tests by name and reports each on a line of its own."""
import json
import os
import sys
import time
import traceback
import unittest

with open(sys.argv[1], encoding="utf-8") as f:
    NAMES = json.load(f)
OUT = open(sys.argv[2], "w", encoding="utf-8")
ROOT = os.getcwd() + os.sep
sys.path.insert(0, os.getcwd())


def say(**record):
    OUT.write(json.dumps(record) + "\n")
    OUT.flush()


def cause(err):
    """Tells phase, class, file and text of an exception."""
    kind, value, tb = err
    phase, where = "call", ""
    first = True
    for frame in traceback.extract_tb(tb):
        name = os.path.basename(os.path.dirname(frame.filename)) + "/" + os.path.basename(frame.filename)
        if name in ("unittest/case.py", "unittest/suite.py", "unittest/loader.py", "unittest/async_case.py", "unittest/mock.py"):
            continue
        if first:
            first = False
            if frame.name in ("setUp", "setUpClass", "setUpModule", "asyncSetUp"):
                phase = "setup"
            elif frame.name in ("tearDown", "tearDownClass", "tearDownModule", "asyncTearDown"):
                phase = "teardown"
        if frame.filename.startswith(ROOT):
            where = frame.filename[len(ROOT):]
    text = "".join(traceback.format_exception_only(kind, value)) + "".join(traceback.format_tb(tb)[-3:])
    module = kind.__module__
    name = kind.__name__ if module == "builtins" else module + "." + kind.__name__
    return phase, name, where, text[:4000]


class Result(unittest.TestResult):
    """Keeps the heaviest thing that happens to a test."""

    def __init__(self):
        super().__init__()
        self.found = None
        self.ran = 0

    def keep(self, status, phase="call", kind="", where="", message=""):
        if self.found is None or status in ("failed", "errored"):
            self.found = dict(status=status, phase=phase, kind=kind, where=where, message=message)

    def startTest(self, test):
        super().startTest(test)
        self.ran += 1

    def problem(self, test, err):
        phase, kind, where, text = cause(err)
        if type(test).__name__ == "_FailedTest" or isinstance(test, unittest.loader._FailedTest):
            phase = "collection"
        elif type(test).__name__ == "_ErrorHolder" and phase == "call":
            phase = "setup"
        self.keep("failed" if phase == "call" else "errored", phase, kind, where, text)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.problem(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.problem(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.problem(test, err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.keep("skipped", message=str(reason))

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.keep("xfail")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.keep("xpass")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.keep("passed")


for name in NAMES:
    say(event="start", id=name)
    begin = time.perf_counter()
    result = Result()
    try:
        unittest.defaultTestLoader.loadTestsFromName(name).run(result)
    except KeyboardInterrupt:
        raise
    except BaseException:
        phase, kind, where, text = cause(sys.exc_info())
        result.keep("errored", "collection" if result.ran == 0 else phase, kind, where, text)
    found = result.found or dict(status="missing", phase="collection", kind="", where="", message="the name holds no test")
    say(event="test", id=name, seconds=time.perf_counter() - begin, **found)
say(event="end")
OUT.close()
