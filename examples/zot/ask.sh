#!/usr/bin/env bash
# Asks the agent one question, and prints its tool calls and its answer as they arrive. Needs bash and jq.
#
#   examples/zot/ask.sh "say: hello" --provider offline
#
# Arguments after the question are passed to `zot rpc`. ZOT is the command that starts the agent (default: `zot`).
# If ZOTCORE_RPC_TOKEN is set, the agent requires this token, and the program sends it.
set -euo pipefail

question=${1:?"usage: ask.sh QUESTION [FLAGS of zot rpc]"}
shift
read -r -a zot <<<"${ZOT:-zot}"
if ! type -P "${zot[0]}" >/dev/null; then
	echo "the agent cannot be started: there is no program ${zot[0]}" >&2
	exit 1
fi

ask() {
	if [ -n "${ZOTCORE_RPC_TOKEN:-}" ]; then
		jq -cn '{id: "0", type: "hello", token: env.ZOTCORE_RPC_TOKEN}'
	fi
	jq -cn --arg message "$question" '{id: "1", type: "prompt", message: $message}'
}

# After the end of its input, the agent completes the prompt and ends. jq exits with 1 after an error, or if the agent
# ends before `done`. The filter reads with `inputs`, because jq 1.6 otherwise continues with the next line after a
# halt_error.
ask | "${zot[@]}" rpc "$@" | jq -jn --unbuffered '
	(inputs
	| if .type == "text_delta" then .delta
	  elif .type == "tool_call" then "\n[" + .name + "] " + (.args | tojson) + "\n"
	  elif .type == "done" then "\n", ([inputs] | halt)
	  elif .type == "error" then ("error: " + .message + "\n" | halt_error(1))
	  elif .type == "response" and (.success | not) then (.command + ": " + .error + "\n" | halt_error(1))
	  else empty end),
	("the agent has ended\n" | halt_error(1))' || exit 1
