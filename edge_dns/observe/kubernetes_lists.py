"""Complete lists from an API server, or an error, never less.

Paging follows the Kubernetes API concepts, "Retrieving large results sets in chunks".
"""

from dataclasses import dataclass

from edge_dns.core.errors import ObservationFailed
from edge_dns.core.gateway_state import GATEWAY_GROUP
from edge_dns.core.json_values import load_json
from edge_dns.core.kubernetes_fields import Object
from edge_dns.observe.kubernetes_access import Answer, ApiServer
from edge_dns.observe.telling import Lasting, Passing, Tell

READ_SECONDS = 120.0
"""How long reading all clusters may take."""
PAGE_ITEMS = 500
RESTARTS = 3
"""How often a list whose continue token has expired is started anew."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind of objects in one API version, as the API server lists it for the whole cluster."""

    kind: str
    plural: str
    group: str = GATEWAY_GROUP
    version: str = "v1"

    @property
    def api_version(self) -> str:
        """Group and version as objects write them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def path(self) -> str:
        """Where the server lists them."""
        return f"/{'apis' if self.group else 'api'}/{self.api_version}/{self.plural}"

    @property
    def rule(self) -> str:
        """The rule of a ClusterRole that allows to list them."""
        return f'{{apiGroups: ["{self.group}"], resources: ["{self.plural}"], verbs: ["list"]}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a reading goes: its end as a time of `time.monotonic`, the seconds that it had, and the size of a page."""

    deadline: float
    seconds: float
    page_items: int


class NotListed(Exception):  # noqa: N818 - named after what happened
    """The server does not list a kind: by its HTTP status it is not found (404) or forbidden (403)."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _Expired(Exception):  # noqa: N818 - private: the list starts anew
    """The continue token of a list has expired (410)."""


@dataclass(frozen=True, slots=True)
class ObjectLists:
    """The lists of one API server."""

    server: ApiServer
    reading: Reading

    def read(self, resource: Resource, tell: Tell) -> list[Object]:
        """Return all objects of a kind; `tell` gets progress lines.

        Raises NotListed, and ObservationFailed where the list cannot be read completely.
        """
        for _ in range(RESTARTS + 1):
            try:
                return self._pages(resource, tell)
            except _Expired:
                tell(
                    Lasting(
                        f"cluster {self.server.cluster}: the list of {resource.plural} has expired, reading it anew"
                    )
                )
        raise self.server.failed(
            f"let the list of {resource.plural} expire {RESTARTS + 1} times before it was read; run it again later"
        )

    def forbidden(self, resource: Resource) -> ObservationFailed:
        """Return the error that says which rule of a ClusterRole would allow to list a kind."""
        return self.server.failed(
            f"forbids to list {resource.plural} (API group {resource.group or 'core'}); add to the ClusterRole "
            f"of {self.server.origin}: {resource.rule}"
        )

    def _pages(self, resource: Resource, tell: Tell) -> list[Object]:
        items: list[Object] = []
        token = ""
        while True:
            query = {"limit": str(self.reading.page_items)} | ({"continue": token} if token else {})
            answer = self.server.get(resource.path, query, deadline=self.reading.deadline)
            page, metadata = _page(self.server, resource, answer)
            items += [{"apiVersion": resource.api_version, "kind": resource.kind, **item} for item in page]
            following = str(metadata.get("continue") or "")
            if not following:
                if metadata.get("remainingItemCount"):
                    raise self.server.failed(_incomplete(resource, "it says that more follows, but not where"))
                return items
            if following == token:
                raise self.server.failed(_incomplete(resource, "a page leads back to itself"))
            token = following
            tell(Passing(f"reading cluster {self.server.cluster}: {len(items):,} {resource.plural} so far"))


def _page(server: ApiServer, resource: Resource, answer: Answer) -> tuple[list[Object], Object]:
    """Return the items and the metadata of one page. Raises _Expired, NotListed or ObservationFailed."""
    if answer.status == 410:
        raise _Expired
    if answer.status in {403, 404}:
        raise NotListed(answer.status)
    if answer.status == 401:
        raise server.failed(f"says Unauthorized; renew the credentials of {server.origin}")
    body = json_of(answer)
    if answer.status != 200:
        reason = body.get("reason") if isinstance(body, dict) else None
        word = f" {reason}" if isinstance(reason, str) and reason.isalnum() else ""
        raise server.failed(f"answers {answer.status}{word} to the list of {resource.plural}; run it again")
    if not isinstance(body, dict):
        raise server.failed(
            f"answers the list of {resource.plural} with {answer.media_type or 'something'} that is not JSON; "
            f"is it an API server? See 'server' in {server.origin}"
        )
    if (body.get("kind"), body.get("apiVersion")) != (f"{resource.kind}List", resource.api_version):
        raise server.failed(_incomplete(resource, f"it is no {resource.kind}List of {resource.api_version}"))
    metadata, items = body.get("metadata"), body.get("items")
    if not isinstance(metadata, dict) or not metadata.get("resourceVersion"):
        raise server.failed(_incomplete(resource, "it has no resourceVersion"))
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise server.failed(_incomplete(resource, "its items are no list of objects"))
    return items, metadata


def _incomplete(resource: Resource, why: str) -> str:
    return f"gives a list of {resource.plural} that is not complete: {why}; is a proxy in between?"


def json_of(answer: Answer) -> object:
    """Return the body of an answer, None where it is not JSON."""
    try:
        body: object = load_json(answer.body)
    except (ValueError, RecursionError):
        return None
    return body
