"""A provider that keeps what it is given."""

import sys

from pulumi.provider.experimental import provider, server


class Sample(provider.Provider):
    async def get_schema(self, request: provider.GetSchemaRequest) -> provider.GetSchemaResponse:
        return provider.GetSchemaResponse(schema='{"name": "sample", "version": "1.0.0"}')

    async def check_config(self, request: provider.CheckRequest) -> provider.CheckResponse:
        return provider.CheckResponse(inputs=request.new_inputs)

    async def diff_config(self, request: provider.DiffRequest) -> provider.DiffResponse:
        return provider.DiffResponse(changes=False)

    async def configure(self, request: provider.ConfigureRequest) -> provider.ConfigureResponse:
        return provider.ConfigureResponse(accept_secrets=True)

    async def check(self, request: provider.CheckRequest) -> provider.CheckResponse:
        return provider.CheckResponse(inputs=request.new_inputs)

    async def diff(self, request: provider.DiffRequest) -> provider.DiffResponse:
        return provider.DiffResponse(changes=request.old_state != request.new_inputs)

    async def create(self, request: provider.CreateRequest) -> provider.CreateResponse:
        return provider.CreateResponse(resource_id="1", properties=request.properties)

    async def delete(self, request: provider.DeleteRequest) -> None:
        return None


if __name__ == "__main__":
    server.main(sys.argv[1:], "1.0.0", Sample())
