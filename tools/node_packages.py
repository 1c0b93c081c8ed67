"""Mermaid's own parser, with which tests read drawings: packages of a lock file, once per user and lock."""

import hashlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from tools.builder import cache_directory, exclusive
from tools.console import SetupError, failure, run, say
from tools.toolchain import ROOT

SOURCE = ROOT / "tools" / "mermaid"
OLDEST_NODE = 20
_INSTALL = f"Install Node.js {OLDEST_NODE} or newer with npm (https://nodejs.org/), and run it again."


def ensure(env: Mapping[str, str], source: Path = SOURCE) -> Path:
    """Return the folder with `read.mjs` and the packages it needs, after installing them. Raises SetupError."""
    cache = cache_directory(env)
    folder = cache / f"mermaid-{_key(source)}"
    if folder.is_dir():
        return folder
    npm = _find_npm(env)
    cache.mkdir(parents=True, exist_ok=True)
    with exclusive(cache / "npm.lock", "another set-up is installing Mermaid"):
        if not folder.is_dir():
            say("installing Mermaid's parser for tests, about 15 s.")
            _install(npm, source, folder, env)
    return folder


def _key(source: Path) -> str:
    """A hash over the lock and everything beside it."""
    digest = hashlib.sha256()
    for file in sorted(source.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _find_npm(env: Mapping[str, str]) -> str:
    node, npm = (shutil.which(name, path=env.get("PATH")) for name in ("node", "npm"))
    if node is None or npm is None:
        missing = " and ".join(name for name, found in (("node", node), ("npm", npm)) if found is None)
        raise SetupError(f"there is no {missing} on PATH; tests read drawings with Mermaid's own parser.", _INSTALL)
    answer = run([node, "--version"], cwd=SOURCE, env=env)
    version = re.match(r"v(\d+)\.", answer.stdout)
    if version is None or int(version[1]) < OLDEST_NODE:
        told = answer.stdout.strip() or "of no version that it tells"
        raise SetupError(f"{node} is {told}; Mermaid's parser needs Node.js {OLDEST_NODE} or newer.", _INSTALL)
    return npm


def _install(npm: str, source: Path, folder: Path, env: Mapping[str, str]) -> None:
    """Install beside the final place, so that whatever is there is complete."""
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial)
    answer = run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=partial, env=env)
    if answer.returncode:
        raise failure(
            "installing Mermaid",
            answer.stdout + answer.stderr,
            mirror="npm_config_registry",
            otherwise="Run it again; `npm cache verify` mends a broken cache.",
        )
    partial.rename(folder)
