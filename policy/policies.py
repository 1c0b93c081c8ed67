"""All policies of the pack, in the order in which they run."""

from pulumi_policy import Policy

from policy import exposure, limits, ownership, permission, settings, together

# The settings come first: what the other rules need of them is read there.
POLICIES: list[Policy] = [
    *settings.POLICIES,
    *exposure.POLICIES,
    *ownership.POLICIES,
    *permission.POLICIES,
    *limits.POLICIES,
    *together.POLICIES,
]
