"""Everything about one hostname: its walks through the plan, or who is alike and who leaves it out."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edge_dns.core.decision import Decision, State
from edge_dns.core.explain_walk import Walk, walk
from edge_dns.core.memory import Memory
from edge_dns.core.names import NameSyntax, covers, is_wildcard, normalise_hostname
from edge_dns.core.plan import Observed, Plan
from edge_dns.core.publishers import publishers_of
from edge_dns.core.recall import gateway_memory
from edge_dns.core.route_trail import AskingCluster, route_trails
from edge_dns.core.settings import Cluster, Settings, gateway_edge_targets

_SHOWN = 3
_NEARNESS = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherHostname:
    """Another hostname of the plan with its state."""

    hostname: str
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All about one hostname, in normal form or, malformed, as written in lower case.

    Without any walk no source names it: then `problem` says what is wrong with the text, if anything, `out_of_sight`
    which objects name it that the settings leave out, and `near` which hostnames are alike. `covered_by` are the
    wildcards that stand for it, nearest first.
    """

    hostname: str
    walks: tuple[Walk, ...]
    problem: str | None
    out_of_sight: tuple[str, ...]
    near: tuple[OtherHostname, ...]
    covered_by: tuple[OtherHostname, ...]

    @property
    def is_published(self) -> bool:
        """Whether it is published wherever it is declared."""
        return bool(self.walks) and all(walk.decision.state == "published" for walk in self.walks)


def explain(text: str, *, settings: Settings, observed: Observed, memory: Memory, plan: Plan) -> Explanation:
    """Return everything about one hostname, as a person writes it, of a plan made from these inputs."""
    hostname, problem = _normal(text)
    trails = [
        (cluster, tuple(route_trails(_asking(cluster, settings, plan, memory), hostname)))
        for cluster in settings.clusters
    ]
    walks = tuple(
        walk(decision, plan, settings, observed, trails) for decision in plan.decisions if decision.hostname == hostname
    )
    return Explanation(
        hostname=hostname,
        walks=walks,
        problem=problem,
        out_of_sight=() if walks else tuple(line for _, lines in trails for line in lines),
        near=() if walks else tuple(_near(hostname, plan.decisions)),
        covered_by=tuple(_covering(hostname, plan.decisions)),
    )


def _normal(text: str) -> tuple[str, str | None]:
    try:
        return normalise_hostname(text), None
    except NameSyntax as error:
        return text.strip().lower(), f"name-syntax: it is not a DNS name: {error}"


def _asking(cluster: Cluster, settings: Settings, plan: Plan, memory: Memory) -> AskingCluster:
    return AskingCluster(
        cluster=cluster,
        state=plan.basis.clusters[cluster.name],
        memory=gateway_memory(memory, cluster.name),
        edge_targets=gateway_edge_targets(cluster, settings),
        publishers=publishers_of(settings, memory.register),
    )


def _near(hostname: str, decisions: Sequence[Decision]) -> Iterator[OtherHostname]:
    states = {one.hostname: one.state for one in decisions}
    for found in difflib.get_close_matches(hostname, states, n=_SHOWN, cutoff=_NEARNESS):
        yield OtherHostname(hostname=found, state=states[found])


def _covering(hostname: str, decisions: Sequence[Decision]) -> Iterator[OtherHostname]:
    found = [one for one in decisions if is_wildcard(one.hostname) and one.hostname != hostname]
    for one in sorted(found, key=lambda one: (-len(one.hostname), one.hostname, one.visibility)):
        if covers(one.hostname, hostname):
            yield OtherHostname(hostname=one.hostname, state=one.state)
