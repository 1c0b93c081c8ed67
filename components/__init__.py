"""Pulumi component resources that declare the plan. They decide nothing about DNS."""
