"""A program that does nothing but load the SDK, and make the lookups in its config."""

import pulumi

for token, arguments in pulumi.Config().get_object("lookups") or ():
    pulumi.export(token, pulumi.Output.from_input(pulumi.runtime.invoke_async(token, arguments)))
