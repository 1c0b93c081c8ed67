"""Settings: what the user wrote for one stack, checked as a whole before anything else happens."""

from edge_dns.core.settings.agent import Agent, HttpsService, PortService
from edge_dns.core.settings.cluster import Cluster, GatewayTarget, Routes, Select
from edge_dns.core.settings.clusters import cluster_of, consumer_cluster, reads_services
from edge_dns.core.settings.edge_targets import edge_targets, gateway_edge_targets
from edge_dns.core.settings.lists import Adoption, Elsewhere, Release
from edge_dns.core.settings.load import (
    NAMESPACE,
    SettingsError,
    SettingsInvalid,
    engine_values,
    load_settings,
    stack_values,
)
from edge_dns.core.settings.publishers import Exposure, Publisher
from edge_dns.core.settings.safety import Acknowledge, Safety
from edge_dns.core.settings.secret import Secret
from edge_dns.core.settings.selectors import Requirement, Selector, SelectorSyntax, parse_selector
from edge_dns.core.settings.service import GatewayRef, Service
from edge_dns.core.settings.settings import Hub, RuleException, Settings
from edge_dns.core.settings.tunnel import Cloudflared, CloudflareTunnel, Tunnel, TunnelDns
from edge_dns.core.settings.zone import AllowedRecordSet, Consumer, Credentials, Namespaces, Zone

__all__ = [
    "NAMESPACE",
    "Acknowledge",
    "Adoption",
    "Agent",
    "AllowedRecordSet",
    "CloudflareTunnel",
    "Cloudflared",
    "Cluster",
    "Consumer",
    "Credentials",
    "Elsewhere",
    "Exposure",
    "GatewayRef",
    "GatewayTarget",
    "HttpsService",
    "Hub",
    "Namespaces",
    "PortService",
    "Publisher",
    "Release",
    "Requirement",
    "Routes",
    "RuleException",
    "Safety",
    "Secret",
    "Select",
    "Selector",
    "SelectorSyntax",
    "Service",
    "Settings",
    "SettingsError",
    "SettingsInvalid",
    "Tunnel",
    "TunnelDns",
    "Zone",
    "cluster_of",
    "consumer_cluster",
    "edge_targets",
    "engine_values",
    "gateway_edge_targets",
    "load_settings",
    "parse_selector",
    "reads_services",
    "stack_values",
]
