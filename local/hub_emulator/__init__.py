"""An in-process emulator of the Towonel hub's admin API, for tests and for the local stack."""

from local.hub_emulator.emulator import HubEmulator, InvariantError, LogEntry
from local.hub_emulator.faults import (
    EMPTY_404,
    HTML_200,
    HTML_404,
    INTERNAL_500,
    NOT_READY_503,
    TEXT_200,
    Drop,
    Fault,
    rate_limited,
)
from local.hub_emulator.model import Edge, Invite, PortReservation, User
from local.hub_emulator.replies import Reply
from local.hub_emulator.settings import HubSettings, RateLimit

__all__ = [
    "EMPTY_404",
    "HTML_200",
    "HTML_404",
    "INTERNAL_500",
    "NOT_READY_503",
    "TEXT_200",
    "Drop",
    "Edge",
    "Fault",
    "HubEmulator",
    "HubSettings",
    "InvariantError",
    "Invite",
    "LogEntry",
    "PortReservation",
    "RateLimit",
    "Reply",
    "User",
    "rate_limited",
]
