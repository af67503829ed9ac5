import sys


class Last:
    def __del__(self):
        raise SystemExit(0)


sys.unraisablehook = lambda *_: None
sys.excepthook = lambda *_: sys.exit(0)
kept = Last()
raise ValueError("the test failed")
