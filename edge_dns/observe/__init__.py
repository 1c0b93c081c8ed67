"""Readers of the outside world: each returns immutable values or raises `ObservationFailed`."""
