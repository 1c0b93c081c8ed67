"""The client of the Towonel hub's HTTP API."""
