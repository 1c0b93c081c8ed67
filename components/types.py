"""Type tokens of all our resources; a changed token replaces everything of its kind, so they stand in one place."""

EDGE_TARGET_MAP = "edge:dns:EdgeTargetMap"
ENDPOINT_RECORD_SET = "edge:dns:EndpointRecordSet"
TOWONEL_TUNNEL = "edge:dns:TowonelTunnel"
