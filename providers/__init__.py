"""Native Pulumi provider plugins."""
