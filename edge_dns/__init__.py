"""edge-dns: publishes DNS records that live exactly as long as the thing they point at."""
