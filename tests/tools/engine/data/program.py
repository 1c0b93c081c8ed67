"""One resource of the sample provider; SAMPLE_MODE says how it ends."""

import os
import sys
import time
from pathlib import Path

import pulumi


class Thing(pulumi.CustomResource):
    def __init__(self, name: str, text: str) -> None:
        super().__init__("sample:index:Thing", name, {"text": text})


def wait(_: str) -> None:
    Path("waiting").touch()
    time.sleep(600)


thing = Thing("one", text="hello")
pulumi.export("ended", os.environ.get("SAMPLE_MODE", "well"))
match os.environ.get("SAMPLE_MODE"):
    case "raise":
        # Put together here, so that the source line in the traceback does not count as the message.
        raise ValueError("-".join(["the", "program", "says", "no"]))
    case "exit":
        print("a-last-word", file=sys.stderr)
        sys.exit(3)
    case "wait":
        thing.urn.apply(wait)
