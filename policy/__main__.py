"""The pack's list of rules; `pulumi preview --policy-pack policy --policy-pack-config FILE` runs it.

FILE is JSON, `{"<rule>": {"enforcementLevel": …, <parameters of the rule>}}`; every rule is mandatory by default.
"""

from pulumi_policy import PolicyPack

from policy import exposure, ownership, provider_limits

PolicyPack(name="edge-dns", policies=[*exposure.POLICIES, *ownership.POLICIES, *provider_limits.POLICIES])
