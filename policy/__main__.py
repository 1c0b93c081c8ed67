"""The pack's list of rules; `pulumi preview --policy-pack policy --policy-pack-config FILE` runs it.

FILE is JSON, `{"settings": {…}, "<rule>": {"enforcementLevel": …, <parameters of the rule>}}`: see docs/policy.md.
"""

from pulumi_policy import PolicyPack

from policy.policies import POLICIES

PolicyPack(name="edge-dns", policies=POLICIES)
