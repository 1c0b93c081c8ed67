"""The `edge-dns` command."""
