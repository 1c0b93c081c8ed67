"""The client of the Towonel hub's HTTP API."""

from edge_dns.hub.client import HubClient
from edge_dns.hub.errors import HubError
from edge_dns.hub.model import Invite, NewInvite, Port, RegionEndpoints

__all__ = ["HubClient", "HubError", "Invite", "NewInvite", "Port", "RegionEndpoints"]
