import type { Mount } from "../bubblewrap/system-layout.ts";

/** Parts of a sandboxed command by which it reaches the proxy. */
export interface EgressWrapping {
	/** Mounts that follow those for /dev. */
	readonly mounts: readonly Mount[];
	/**
	 * Arguments before the command, which start it. `channel` is the descriptor, below 10, of Node's channel to the gateway.
	 * The command does not inherit it.
	 */
	argv(channel: number): readonly string[];
	readonly environment: Readonly<Record<string, string>>;
}

/** A path outside of the system directories and of all roots. */
const NODE = "/dev/parley/node";
/** Any port is free in a new network namespace. */
const PORT = 3128;

/** Listens in the network of the sandbox and sends the socket to the gateway, which accepts the connections. */
const LISTENER = `
const { writeSync } = require("node:fs");
const server = require("node:net").createServer();
server.listen({ host: "127.0.0.1", port: ${PORT}, backlog: 511 }, () => {
	process.send("listening", server, (error) => {
		writeSync(1, error ? error.message : "ready");
		process.disconnect();
		server.close();
	});
});
`;

/** The listener gets an empty environment, because that of the command may contain secrets. */
const PRELUDE = `
said=$(/usr/bin/env -i NODE_CHANNEL_FD="$1" "$2" -e "$3" 2>&1)
if [ "$said" != ready ]; then
	echo "the way to the egress proxy could not be opened, nothing was run: $said" >&2
	exit 125
fi
eval "exec $1>&-"
shift 3
exec "$@"
`;

const PROXY = `http://127.0.0.1:${PORT}`;
const OWN = "localhost,127.0.0.1,::1";

/** Variables that curl, git, npm, pip, cargo, Go and Node read. Plain HTTP also goes to the proxy, which says why it refuses. */
const environment = {
	...{ HTTPS_PROXY: PROXY, https_proxy: PROXY, HTTP_PROXY: PROXY, http_proxy: PROXY },
	...{ ALL_PROXY: PROXY, all_proxy: PROXY, NO_PROXY: OWN, no_proxy: OWN },
	...{ npm_config_proxy: PROXY, npm_config_https_proxy: PROXY, NODE_USE_ENV_PROXY: "1" },
	// A repository may name another proxy, which a command cannot reach.
	...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.proxy", GIT_CONFIG_VALUE_0: PROXY },
};

/** Starts a command that reaches the proxy and no other part of the network. */
export const egressWrapping: EgressWrapping = {
	mounts: [["--ro-bind", process.execPath, NODE]],
	argv: (channel) => ["/bin/sh", "-c", PRELUDE, "parley", String(channel), NODE, LISTENER],
	environment,
};
