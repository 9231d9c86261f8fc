"""Reads the schema of a gateway by reflection, calls a method with only this schema, and prints the results as JSON."""

import json
import os

import grpc
from google.protobuf import descriptor_pool, json_format, message_factory
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

with grpc.insecure_channel(os.environ["PARLEY_ADDRESS"]) as channel:
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = descriptor_pool.DescriptorPool(database)
    run_event = pool.FindMessageTypeByName("kontekst.RunEvent")
    method = pool.FindServiceByName("kontekst.DaemonService").FindMethodByName("GetStatus")
    request, response = (message_factory.GetMessageClass(it) for it in (method.input_type, method.output_type))
    get_status = channel.unary_unary(
        f"/{method.containing_service.full_name}/{method.name}",
        request_serializer=request.SerializeToString,
        response_deserializer=response.FromString,
    )
    status = get_status(request(), metadata=[("authorization", f"Bearer {os.environ['PARLEY_TOKEN']}")])
    print(
        json.dumps(
            {
                "services": sorted(database.get_services()),
                "events": {field.name: field.number for field in run_event.fields},
                "status": json_format.MessageToDict(status, preserving_proto_field_name=True),
            }
        )
    )
