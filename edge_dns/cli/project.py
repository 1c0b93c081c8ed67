"""Where the project of a settings file is, and which stack it is of."""

import re
from pathlib import Path

from edge_dns.core import yaml_text
from edge_dns.core.markers import owner

_STACK_FILE = re.compile(r"Pulumi\.(.+)\.ya?ml")


def project_folder(settings: Path) -> Path:
    """Return the folder of Pulumi.yaml at or above the settings file, from which relative paths count."""
    folders = settings.resolve().parents
    return next((folder for folder in folders if (folder / "Pulumi.yaml").exists()), folders[0])


def stack_owner(settings: Path) -> str | None:
    """Return what stands in markers for the stack of a settings file, `Pulumi.<stack>.yaml` of a project.

    None where the file has another name, or no Pulumi.yaml that names its project is at or above it.
    """
    stack = _STACK_FILE.fullmatch(settings.name)
    project = _project_name(project_folder(settings) / "Pulumi.yaml") if stack else None
    return owner(project, stack[1]) if stack and project else None


def _project_name(file: Path) -> str | None:
    try:
        document = yaml_text.load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    name = document.get("name") if isinstance(document, dict) else None
    return name if isinstance(name, str) else None
