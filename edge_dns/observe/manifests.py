"""A folder of manifests: all objects in its YAML files, and whatever of it could not be read."""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from edge_dns.core.kubernetes_fields import Object
from edge_dns.core.yaml_text import TextInvalid, Value, load_all
from edge_dns.observe.telling import Passing, Tell, silent

_SUFFIXES = (".yaml", ".yml")
_TEMPLATES = {
    "kustomization.yaml": "kustomize build",
    "kustomization.yml": "kustomize build",
    "Chart.yaml": "helm template",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifests:
    """Objects with their file, relative to the folder. `unread` are files with the reason why they were not read.

    `rendered` are files that make manifests of others, with the command that does: what it makes is not seen.
    """

    objects: tuple[tuple[str, Object], ...]
    unread: tuple[tuple[str, str], ...]
    rendered: tuple[tuple[str, str], ...]
    files: int


def read_manifests(folder: Path, *, skip: Collection[str] = (), tell: Tell = silent) -> Manifests:
    """Return what the YAML files below a folder hold, but for those whose relative path fits a glob of `skip`.

    Documents that are no Kubernetes objects are left out. Links to folders are not followed. `tell` gets progress
    lines.
    """
    tell(f"reading {folder}")
    objects: list[tuple[str, Object]] = []
    unread: list[tuple[str, str]] = []
    files = [file for file in _files(folder, unread) if not any(fnmatchcase(file, glob) for glob in skip)]
    for number, file in enumerate(files):
        tell(Passing(f"reading {folder}: {number:,} of {len(files):,} files"))
        try:
            documents = load_all((folder / file).read_text(encoding="utf-8"))
        except OSError as error:
            unread.append((file, error.strerror or "cannot be read"))
        except UnicodeDecodeError:
            unread.append((file, "not text in UTF-8"))
        except TextInvalid as error:
            unread.append((file, f"not YAML: {error}; of a template check what it renders to"))
        else:
            objects += [(file, item) for document in documents for item in _objects(document)]
    rendered = [(file, _TEMPLATES[name]) for file in files if (name := Path(file).name) in _TEMPLATES]
    return Manifests(objects=tuple(objects), unread=tuple(sorted(unread)), rendered=tuple(rendered), files=len(files))


def _files(folder: Path, unread: list[tuple[str, str]]) -> list[str]:
    """Return the YAML files, sorted; what cannot be listed goes to `unread`."""

    def failed(error: OSError) -> None:
        unread.append((os.path.relpath(error.filename, folder), error.strerror or "cannot be listed"))

    found: list[str] = []
    for place, folders, files in os.walk(folder, onerror=failed):
        folders[:] = [name for name in folders if name != ".git"]
        found += [os.path.relpath(os.path.join(place, name), folder) for name in files if name.endswith(_SUFFIXES)]
    return sorted(found)


def _objects(document: Value) -> Iterator[Object]:
    if not isinstance(document, Mapping):
        return
    items, kind = document.get("items"), str(document.get("kind"))
    if isinstance(items, list) and kind.endswith("List"):
        # Items of a typed list may leave out what they are.
        known: dict[str, Value] = {"apiVersion": document.get("apiVersion"), "kind": kind.removesuffix("List")}
        for item in items:
            yield from _objects({**known, **item} if isinstance(item, dict) and kind != "List" else item)
    elif "kind" in document and "apiVersion" in document:
        yield document
