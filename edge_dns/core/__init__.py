"""Pure functions from settings and observations to the plan. No I/O, no Pulumi, no clock."""
