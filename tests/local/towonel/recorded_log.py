"""A log of the plugin that can be read."""

from dataclasses import dataclass, field


@dataclass
class Lines:
    """See providers.towonel.resource.Log."""

    infos: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def info(self, message: str) -> None:
        self.infos.append(message)

    def warn(self, message: str) -> None:
        self.warnings.append(message)
