"""One module per record provider: each declares the record resource of one slot."""
