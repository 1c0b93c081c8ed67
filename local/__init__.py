"""The embedded default: emulators and light provider plugins, so that a stack runs with no account and no network."""
