"""Light provider plugins: what the program uses of pulumi-cloudflare and pulumi-aws, for machines without these.

Production uses the official plugins. These answer to the same resource types, lookups and provider settings.
"""
