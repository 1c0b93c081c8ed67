"""Where `named` is, the name server of BIND 9 that tests ask; it comes from the system's packages."""

import shutil

MISSING = "there is no `named`, the name server that tests push the emulators' zones to."
REMEDY = "On Debian: `apt-get install bind9`."


def find_named() -> str | None:
    """Return the path of `named`; None where it is not installed. A user's PATH often lacks the folders of servers."""
    return shutil.which("named") or shutil.which("named", path="/usr/sbin:/usr/local/sbin")
