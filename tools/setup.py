"""`python3 -m tools.setup`: make the virtual environment and find or build the toolchain. Safe to run at any time.

The toolchain comes first: what it may lack, Go, takes longest to get.
Exit status: 0 all there, 1 something is missing (the message says what and the way out), 130 interrupted.
"""

import argparse
import errno
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from tools import builder, node_packages, python_env
from tools.console import SetupError, run, say
from tools.named import MISSING, REMEDY, find_named
from tools.pins import PINS, TEST_PINS
from tools.toolchain import MERMAID_RECORD, RECORD, ROOT, TEST_RECORD, NotSetUpError, bin_directory

OLDEST_PULUMI = (3, 250)
LANGUAGE_HOST = "pulumi-language-python"


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.setup", description=__doc__.splitlines()[0])
    parser.add_argument("--tests", action="store_true", help="also check for named and build the servers of the tests")
    parser.add_argument("--print-path", action="store_true", help="print the folder to put before PATH, change nothing")
    options = parser.parse_args(arguments)
    try:
        if options.print_path:
            print(bin_directory())
        else:
            set_up(os.environ)
            if options.tests:
                _check_named()
                _record(MERMAID_RECORD, node_packages.ensure(os.environ))
                _record(TEST_RECORD, builder.ensure(TEST_PINS, os.environ))
    except (SetupError, NotSetUpError) as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(_system_error(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsetup: interrupted; run it again to go on from here.", file=sys.stderr)
        return 130
    return 0


def set_up(env: Mapping[str, str]) -> None:
    """Bring everything up to date and record where the toolchain is. Raises SetupError or OSError."""
    folder = pulumi_on_path(env) or builder.ensure(PINS, env)
    python_env.ensure(ROOT, env)
    if _record(RECORD, folder):
        say(f"ready; pulumi is {folder / 'pulumi'}.")


def _check_named() -> None:
    if find_named() is None:
        raise SetupError(MISSING, REMEDY)


def _record(record: Path, folder: Path) -> bool:
    """Write down where the programs are; return whether that is news."""
    if record.exists() and record.read_text(encoding="utf-8") == str(folder):
        return False
    record.write_text(str(folder), encoding="utf-8")
    return True


def pulumi_on_path(env: Mapping[str, str]) -> Path | None:
    """Return the folder of the `pulumi` on PATH when it is fit for use; else say what is wrong with it."""
    found = shutil.which("pulumi", path=env.get("PATH"))
    # A toolchain of ours that someone has put on PATH is chosen by its pins, not by its age.
    if found is None or Path(found).is_relative_to(builder.cache_directory(env)):
        return None
    version = _pulumi_version(found, env)
    if version is None:
        say(f"not using {found}: it does not tell its version.")
    elif version < OLDEST_PULUMI:
        say(f"not using {found}: it is {'.'.join(map(str, version))}, older than {'.'.join(map(str, OLDEST_PULUMI))}.")
    elif not _has_language_host(Path(found)):
        say(f"not using {found}: there is no {LANGUAGE_HOST} beside it.")
    else:
        return Path(found).parent
    return None


def _pulumi_version(pulumi: str, env: Mapping[str, str]) -> tuple[int, ...] | None:
    try:
        answer = run([pulumi, "version"], cwd=ROOT, env={**env, "PULUMI_SKIP_UPDATE_CHECK": "true"})
    except OSError:
        return None
    version = re.match(r"v?(\d+)\.(\d+)\.(\d+)", answer.stdout)
    return tuple(int(part) for part in version.groups()) if version and answer.returncode == 0 else None


def _has_language_host(pulumi: Path) -> bool:
    """Tell whether the engine will find its bundled host: it looks beside the file that a link leads to."""
    return any(os.access(place.parent / LANGUAGE_HOST, os.X_OK) for place in (pulumi, pulumi.resolve()))


def _system_error(error: OSError) -> SetupError:
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return SetupError(
            f"the disk is full{where}.",
            "Free about 4 GB, or set XDG_CACHE_HOME to a folder on a larger disk, and run it again.",
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return SetupError(
            f"no permission to write{where}.",
            "Use a checkout and a home folder of your own, or set XDG_CACHE_HOME to a folder that you can write to.",
        )
    return SetupError(f"{error.strerror or error}{where}.", "Mend this and run it again.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
