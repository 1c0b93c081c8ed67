"""Type tokens of the resources in a stack, in one place: a changed token replaces everything of its kind."""

EDGE_TARGET_MAP = "edge:dns:EdgeTargetMap"
ENDPOINT_RECORD_SET = "edge:dns:EndpointRecordSet"
TOWONEL_TUNNEL = "edge:dns:TowonelTunnel"
INVITE = "towonel:index:Invite"
CLOUDFLARE_RECORD = "cloudflare:index/dnsRecord:DnsRecord"
ROUTE53_RECORD = "aws:route53/record:Record"
