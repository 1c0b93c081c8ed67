"""The `towonel` provider plugin: Invite and Port."""
