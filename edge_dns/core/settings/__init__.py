"""Settings: what the user wrote for one stack, checked as a whole before anything else happens."""
