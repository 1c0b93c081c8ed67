"""Rules that keep a program from taking what it does not own, and its own records from being lost."""

from pulumi_policy import ResourceValidationPolicy

from edge_dns.core.markers import RELEASED_COMMENT, parse_marker
from policy.declared import CLOUDFLARE_RECORDS, RECORDS, DeclaredRecord
from policy.rule import Given, record_policy

RECORDS_EXCLUSIVE = "aws:route53/recordsExclusive:RecordsExclusive"


def allow_overwrite(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse what would replace live records of somebody else.

    That is a record whose create is an UPSERT in place of a CREATE (Route 53), and the resource that owns a whole zone:
    it overwrites and deletes every record that it does not list.
    """
    if record.token == RECORDS_EXCLUSIVE:
        return "It deletes every record of the zone that it does not list.\nDeclare each record on its own."
    if record.props.get("allowOverwrite") in (None, False):
        return None
    return (
        "allowOverwrite is true: it would replace a live record of others.\n"
        "Remove it; import the live record if it is to be managed here."
    )


def marker_missing(record: DeclaredRecord, _given: Given) -> str | None:
    """Refuse a Cloudflare record of an EndpointRecordSet whose comment is not the marker of this stack.

    In a released slot its comment says that it is released. One that no run changes has another owner's marker.
    """
    comment = str(record.props.get("comment", ""))
    if not record.in_record_set or record.belongs(comment) or (record.is_released and comment == RELEASED_COMMENT):
        return None
    if record.untouched and parse_marker(comment):
        return None
    return "Its comment is not the ownership marker of this stack.\nDeclare it through an EndpointRecordSet."


POLICIES: list[ResourceValidationPolicy] = [
    record_policy("allow-overwrite", allow_overwrite, RECORDS | {RECORDS_EXCLUSIVE}),
    record_policy("marker-missing", marker_missing, CLOUDFLARE_RECORDS),
]
