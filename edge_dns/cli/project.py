"""Where the project of a settings file is."""

from pathlib import Path


def project_folder(settings: Path) -> Path:
    """Return the folder of Pulumi.yaml at or above the settings file, from which relative paths count."""
    folders = settings.resolve().parents
    return next((folder for folder in folders if (folder / "Pulumi.yaml").exists()), folders[0])
