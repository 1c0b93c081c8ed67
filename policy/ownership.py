"""Rules that keep a program from taking what it does not own."""

from policy.rule import RECORDS, Properties, resource_policy


def allow_overwrite(record: Properties, _parameters: Properties) -> str | None:
    """Refuse a record whose create would replace a live one of somebody else (Route 53: UPSERT in place of CREATE)."""
    if record.get("allowOverwrite") in (None, False):
        return None
    return (
        "allowOverwrite is true: it would replace a live record of others.\n"
        "Remove it; import the live record if it is to be managed here."
    )


def records_exclusive(_zone: Properties, _parameters: Properties) -> str | None:
    """Refuse the resource that owns a whole Route 53 zone: it overwrites and deletes every record not listed."""
    return "It deletes every record of the zone that it does not list.\nDeclare each record on its own."


POLICIES = [
    resource_policy(
        "allow-overwrite",
        {**dict.fromkeys(RECORDS, allow_overwrite), "aws:route53/recordsExclusive:RecordsExclusive": records_exclusive},
    ),
]
