"""A program that does nothing but load the SDK."""

import pulumi

pulumi.get_stack()
