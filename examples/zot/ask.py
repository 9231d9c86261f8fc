#!/usr/bin/env python3
"""Asks the agent one question. Prints its answer, its tool calls, the tokens and the cost.

Needs only Python 3.9 or newer.

    examples/zot/ask.py "say: hello" --provider offline

Arguments after the question are passed to `zot rpc`. ZOT is the command that starts the agent (default: `zot`).
If ZOTCORE_RPC_TOKEN is set, the agent requires this token, and the program sends it.
"""

import contextlib
import json
import os
import shlex
import subprocess
import sys
from typing import Any, Iterator


class Agent:
    """One `zot rpc` process. Each input line is a command. Each output line is an event or a response."""

    def __init__(self, flags: list[str]) -> None:
        program = shlex.split(os.environ.get("ZOT") or "zot")
        self.process = subprocess.Popen(
            [*program, "rpc", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )

    def send(self, **command: Any) -> None:
        assert self.process.stdin
        # If the agent has ended, the end of its output reports it.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()

    def events(self) -> Iterator[dict[str, Any]]:
        assert self.process.stdout
        for line in self.process.stdout:
            # The last line of a killed agent may be incomplete.
            with contextlib.suppress(ValueError):
                yield json.loads(line)

    def close(self) -> int:
        """Ends the input, waits until the agent has finished, and returns its exit code."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.process.wait()


def show(event: dict[str, Any]) -> None:
    kind = event["type"]
    if kind == "text_delta":
        print(event["delta"], end="", flush=True)
    elif kind == "tool_call":
        print(f"\n[{event['name']}] {json.dumps(event['args'])}")
    elif kind == "tool_progress":
        print("".join(f"  | {line}\n" for line in event["text"].splitlines()), end="", flush=True)
    elif kind == "usage":
        total = event["cumulative"]
        print(f"\n({total['input']} in, {total['output']} out, ${total['cost_usd']:.4f})", file=sys.stderr)
    elif kind == "error":
        print(f"\nerror: {event['message']}", file=sys.stderr)


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: ask.py QUESTION [FLAGS of zot rpc]", file=sys.stderr)
        return 2
    try:
        agent = Agent(sys.argv[2:])
    except (OSError, ValueError) as error:
        print(f"the agent cannot be started: {error}", file=sys.stderr)
        return 1
    token = os.environ.get("ZOTCORE_RPC_TOKEN")
    if token:
        agent.send(id="0", type="hello", token=token)
    agent.send(id="1", type="prompt", message=sys.argv[1])
    outcome = None
    for event in agent.events():
        if event["type"] == "response" and not event["success"]:
            print(f"{event['command']}: {event['error']}", file=sys.stderr)
            outcome = "failed"
            break
        show(event)
        if event["type"] in ("error", "done"):
            outcome = event["type"]
            break
    print()
    code = agent.close()
    if outcome is None:
        print(f"the agent has ended (code {code})", file=sys.stderr)
    return 0 if outcome == "done" and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
