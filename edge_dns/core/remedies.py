"""What to do about each rule: for the person at the terminal, and the last column of docs/rules.md."""

REMEDIES = {
    "settings-invalid": "correct each setting that is listed",
    "observation-failed": "make readable what the message names; nothing was changed",
    "hub-account": (
        "set the API key of the account that holds the invites; when all are meant to be gone, acknowledge it"
    ),
    "host-transition": (
        "for a renamed tunnel set `aliases`; else move it in two runs; when the gap is meant, acknowledge it"
    ),
    "route-identity": "do as the message says; nothing was changed",
    "dnsendpoint-identity": "do as the message says; nothing was changed",
    "agent-identity": "do as the message says; nothing was changed",
    "zone-moved": (
        "take the domain out of `elsewhere`, and move the zone as docs/large-environments.md says; when the records "
        "are meant to go, acknowledge it"
    ),
    "empty-desired": (
        "look for an empty file, a wrong cluster, a selector that matches nothing; when meant, acknowledge it"
    ),
    "mass-delete": "read causes and names, and mend what is wrong; when meant, acknowledge exactly them",
    "mass-update": "read causes and names, and mend what is wrong; when meant, acknowledge exactly them",
    "delete-forbidden": "take the name out of `safety.protect`, or set `safety.withdraw: guarded` for this run",
    "name-syntax": "correct the hostname",
    "zone-none": "add the zone to `zones`, or check `visibility` of zone and source",
    "zone-ambiguous": "keep one zone of that name and visibility in `zones`",
    "below-delegation": "add the delegated zone to `zones`, or remove the NS record",
    "ttl-range": "set a TTL that the provider allows, or none",
    "rrset-ttl-consistent": "set one TTL",
    "value-address-family": "correct the address",
    "value-ip-syntax": "correct the address",
    "target-syntax": "correct the Gateway's status.addresses or the setting; a NamedAddress is no DNS name",
    "target-not-ip": "give a hostname, or declare the target as an address",
    "target-mixed-kinds": "give the Gateway addresses of one kind",
    "cname-self": "point the name at something else",
    "cname-loop": "break the circle",
    "cname-single": "give the Gateway one hostname, or addresses",
    "cname-apex": "use addresses or a target that can be an alias, or a name below the apex",
    "cname-coexistence": "remove the other record, or publish under another name",
    "duplicate-record": "declare it once",
    "host-claimed-twice": "take the hostname away from one of the sources that are named",
    "proxied-type": "switch `proxied` off for the zone",
    "proxied-ttl": "leave the TTL out",
    "alias-ttl": "leave the TTL out",
    "alias-self": "point the name at something else",
    "weighted-pairing": "give both or none",
    "txt-chunk": "split the text",
    "txt-charset": "use printable ASCII",
    "caa-value": "correct the value",
    "srv-value": "correct the value",
    "mx-value": "correct the value",
    "private-address-public-zone": "use a private zone, or a public address",
    "internal-name-public-zone": "use a private zone, or a public target",
    "wildcard-opt-in": (
        "set `wildcards: true` on the zone, or `dns.includeWildcards: true` on the tunnel (false there is a wait)"
    ),
    "apex-ns": "leave it to the provider",
    "owner-foreign": "remove that record, or adopt it; where another stack has it, release it there first",
    "owner-duplicate": "release it in the other stack, or take the hostname out here; remove a marker that is wrong",
    "adopt-differs": "make the setting and the live record equal, then adopt",
    "marker-name": "publish under a shorter name, or set `marker: none` on the zone",
    "type-transition": "name it in `safety.acknowledge.names` for one run; the next run switches",
    "edge-target-unknown": "add the region to `edgeTargets`, or set `dns.cnameTarget` on the tunnel",
    "consumer-capability": "see the message: another name, or another setting of the external-dns instance",
    "host-taken": "remove the hostname from the other invite; it is tried again in each run",
    "port-refused": "ask for another `preferredPort`, or drop it; else the reason tells: no quota, or no edge address",
    "invite-gone": "raise the tunnel's `generation`",
    "invite-revoked": "raise the tunnel's `generation`",
    "tunnel-gone": "take the tunnel out of the state (docs/cloudflare-tunnels.md); the next run makes a new one",
    "tunnel-foreign": "rename one of both, or set `cloudflare.adopt` to its id",
    "tunnel-zone": "publish the hostname in a Cloudflare zone of the account, or take it away from the tunnel",
    "ingress-foreign": "take its rules into the settings, or name their hostnames in `cloudflare.replaceIngress`",
    "alias-unknown": "set `recordType: CNAME` on the cluster",
    "record-not-allowed-by-zone": "extend `allowedRecordSets` of the zone, or take the hostname away",
    "unlisted-publisher": "declare the service, or enter it in `exposure.register`",
    "route-foreign": "give the service another name, or delete the route that is there if nobody needs it",
    "register-grew": "declare the service instead",
    "internal-route-annotation": "make annotation and exposure agree",
    "dnsendpoint-selects-internal": "take the internal name out of the DNSEndpoint",
    "internal-authority-missing": (
        "let the internal resolver answer the name first; to withdraw without, name it in `safety.acknowledge.names`"
    ),
    "dnsendpoint-unavailable": "install the CRD of external-dns, or create the namespace",
    "lan-filter-missing": "give that external-dns a filter for its own objects",
    "allow-overwrite": "remove the option",
    "marker-missing": "declare the record through an endpoint record set",
    "unknown-guarded-value": "make the value known at preview",
    "status-stale": "wait for the controller; it never comes where the controller leaves out observedGeneration",
    "route-not-accepted": (
        "look at the parentRef that is named: every one has to be accepted; where a service has no Gateway, give it a "
        "`gateway`, or name it in a tunnel"
    ),
    "no-address": "wait for the Gateway's address",
    "not-declared": "nothing when meant; else look at the settings, their `select` and `routes`, and the objects",
    "dns-disabled": "set `dns.mode: Zone` to publish",
    "exposure-internal": (
        "to publish, set `exposure: public` on the service, or remove the controller annotation of external-dns from "
        "route and Gateway"
    ),
    "identity-changed": "wait: it is admitted anew once the controller accepts it",
    "route-rejected": "look at the route's status",
    "gateway-rejected": "look at the Gateway's status",
    "listener-denies": "compare hostname, namespace, protocol and kind with the listeners that are named",
    "release-listed": "nothing; to manage it again, take it out of `release`, and once it is forgotten `adopt` it",
    "zone-elsewhere": "nothing: the other stack publishes it; to publish it here, take the domain out of `elsewhere`",
    "not-supported": "publish the hostname by an HTTPRoute that is attached to a Gateway",
    "documentation-address": "replace the address outside of examples",
    "target-dangling": "point the name at something that exists, or withdraw it",
    "ttl-low": "raise the TTL",
    "cname-chain": "point at the last name directly",
    "invite-deleted": (
        "give agents the token of the new invite; `deletionPolicy: Retain`, set in a run before, keeps it"
    ),
    "invite-expires": "raise the tunnel's `generation` and give agents the new token",
    "invite-shared": "find out who else uses the invite: it needs one owner",
    "route-drift": "do as the message says",
    "ingress-internal": "take the rules of others into the settings, or name their hostnames in "
    "`cloudflare.replaceIngress`; or delete the internal ones at Cloudflare",
    "tunnel-deleted": "nothing when meant; a renamed tunnel stays with `aliases`",
    "exception-expired": "renew the exception or remove it",
}
