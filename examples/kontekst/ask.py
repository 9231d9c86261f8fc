"""Runs one prompt, and asks on the terminal for the approval of each tool call.

README.md contains the commands that generate kontekst_pb2.

    examples/kontekst/.venv/bin/python examples/kontekst/ask.py "run: echo hi"

PARLEY_ADDRESS is HOST:PORT of the gateway (default: 127.0.0.1:50051), and PARLEY_TOKEN is its token.
"""

import os
import queue
import sys
from typing import Iterator, Optional

import grpc
import kontekst_pb2 as kontekst
import kontekst_pb2_grpc as services


class Run:
    """One run. Its commands wait in a queue until gRPC sends them. `None` in the queue ends the stream of commands."""

    def __init__(self, channel: grpc.Channel, prompt: str) -> None:
        token = os.environ.get("PARLEY_TOKEN")
        metadata = [("authorization", f"Bearer {token}")] if token else []
        self.commands: "queue.SimpleQueue[Optional[kontekst.RunCommand]]" = queue.SimpleQueue()
        self.commands.put(kontekst.RunCommand(start=kontekst.StartRunCommand(prompt=prompt)))
        agent = services.AgentServiceStub(channel)
        self.events: Iterator[kontekst.RunEvent] = agent.Run(iter(self.commands.get, None), metadata=metadata)

    def decide(self, call: kontekst.ProposedToolCall) -> None:
        """Asks for a decision about one call, and sends it.

        Any answer other than `approve` denies the call. The end of the input also denies the call.
        """
        print(f"\n{call.name} {call.arguments_json}\n{call.preview}approve or deny? ", end="", flush=True)
        if sys.stdin.readline().strip() == "approve":
            command = kontekst.RunCommand(approve_tool=kontekst.ApproveToolCommand(call_id=call.call_id))
        else:
            denial = kontekst.DenyToolCommand(call_id=call.call_id, reason="denied on the terminal")
            command = kontekst.RunCommand(deny_tool=denial)
        self.commands.put(command)

    def follow(self) -> str:
        """Prints the events. Returns the name of the last event: `completed`, `cancelled` or `failed`."""
        end = ""
        for message in self.events:
            event = message.WhichOneof("event")
            if event == "token":
                print(message.token.text, end="", flush=True)
            elif event == "reasoning":
                print(message.reasoning.text, end="", file=sys.stderr, flush=True)
            elif event == "tools_proposed":
                for call in message.tools_proposed.calls:
                    self.decide(call)
            elif event == "tool_completed":
                print(f"\n{message.tool_completed.output}")
            elif event == "tool_failed":
                print(f"\n{message.tool_failed.error}")
            elif event in ("completed", "cancelled", "failed"):
                if event == "failed":
                    print(message.failed.error, file=sys.stderr)
                end = event
                self.commands.put(None)
        return end


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: ask.py PROMPT", file=sys.stderr)
        return 2
    # For a gateway with TLS: grpc.secure_channel(address, grpc.ssl_channel_credentials()).
    with grpc.insecure_channel(os.environ.get("PARLEY_ADDRESS", "127.0.0.1:50051")) as channel:
        run = Run(channel, sys.argv[1])
        try:
            end = run.follow()
        except grpc.RpcError as error:
            print(f"{error.code().name}: {error.details()}", file=sys.stderr)
            run.commands.put(None)
            return 1
    print(f"\n({end})")
    return 0 if end == "completed" else 1


if __name__ == "__main__":
    sys.exit(main())
