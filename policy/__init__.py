"""The policy pack: what must never be published, checked on the declared resources alone."""
