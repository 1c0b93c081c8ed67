"""octoDNS as the reference of `edge-dns plan`: the same record sets in its YAML, planned without network."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from octodns.yaml import safe_dump as dump_in_order  # type: ignore[import-untyped]

from tests.bench.measure import CommandFailed, Sample, measure
from tools.toolchain import VENV, environment

Target = Literal["empty", "equal"]
Json = Mapping[str, Any]

_PROVIDER = "octodns.provider.yaml.YamlProvider"
_TTL = 300
_CREATES = re.compile(r"Summary: Creates=(\d+)")
_FOUND = re.compile(r"YamlProvider\[target\] populate: +found (\d+) records")


@dataclass(frozen=True, slots=True, kw_only=True)
class OctoDns:
    """Zones with `record_sets` in a folder, planned against a target that holds nothing or the same."""

    folder: Path
    record_sets: int

    @classmethod
    def write(cls, folder: Path, records: Iterable[Json]) -> "OctoDns":
        """Write the source, both targets and their configurations; `records` are those of a plan JSON, no aliases."""
        zones: dict[str, dict[str, object]] = defaultdict(dict)
        for one in records:
            zones[one["zone"]][one["name"].removesuffix(one["zone"]).removesuffix(".")] = _entry(one)
        for place in ("source", "empty", "equal"):
            (folder / place).mkdir(parents=True)
        for zone, entries in zones.items():
            for place in ("source", "equal"):
                with (folder / place / f"{zone}.yaml").open("w", encoding="utf-8") as file:
                    # In the order that octoDNS asks for, as it does by default.
                    dump_in_order(entries, file)
        for target in ("empty", "equal"):
            _config(folder, target).write_text(yaml.safe_dump(_configuration(folder, target, zones)), encoding="utf-8")
        return cls(folder=folder, record_sets=sum(map(len, zones.values())))

    def measure(self, target: Target) -> Sample:
        """Plan once. Raises CommandFailed when it has not planned all record sets."""
        output = self.folder / "output"
        sample = measure(
            [str(VENV / "bin" / "octodns-sync"), "--config-file", str(_config(self.folder, target))],
            cwd=self.folder,
            environment=environment({}),
            output=output,
        )
        counts = (_CREATES if target == "empty" else _FOUND).findall(output.read_text(encoding="utf-8"))
        if sum(map(int, counts)) != self.record_sets:
            raise CommandFailed(f"octoDNS has planned {counts} record sets of {self.record_sets}")
        return sample


def _entry(record: Json) -> dict[str, object]:
    values = [f"{value}." if record["type"] == "CNAME" else value for value in record["values"]]
    content = {"value": values[0]} if len(values) == 1 else {"values": values}
    return {"type": record["type"], "ttl": max(record["ttl"], _TTL), **content}


def _config(folder: Path, target: str) -> Path:
    return folder / f"{target}.yaml"


def _configuration(folder: Path, target: str, zones: Iterable[str]) -> dict[str, object]:
    def provider(place: str) -> dict[str, object]:
        return {"class": _PROVIDER, "directory": str(folder / place), "default_ttl": _TTL}

    return {
        "providers": {"source": provider("source"), "target": provider(target)},
        "zones": {f"{zone}.": {"sources": ["source"], "targets": ["target"]} for zone in zones},
    }
