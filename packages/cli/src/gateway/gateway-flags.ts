import type { ConfigFlags } from "@parley/gateway";
import { type Command, Option } from "commander";

/** Flags of the commands that run a gateway. */
export interface GatewayFlags extends Omit<ConfigFlags, "trustedProxies" | "policyFile"> {
	/** As the flag is called: the file. */
	readonly policy?: string;
	/** As the flag is called, which takes one at a time. */
	readonly trustedProxy?: readonly string[];
	/** Failpoints for tests of crashes. */
	readonly testHooks?: string;
}

/** The flags of the commands that run a gateway; the configuration checks their values. */
export function addGatewayFlags(command: Command): Command {
	return command
		.option("--listen <host:port>", "where to listen; may be repeated (default 127.0.0.1:7777)", collect)
		.option("--data <dir>", "where conversations and tokens live")
		.option("--root <dir>", "what tools may touch; may be repeated (default the current directory)", collect)
		.option(
			"--provider <name>",
			"who answers: anthropic, offline or auto (default): anthropic where it has a key or a base URL",
		)
		.option("--model <name>", "which of the provider's models: a name or fast, standard, max")
		.option("--base-url <url>", "a server that speaks the Messages API, instead of Anthropic's")
		.option("--reasoning <level>", "how much models think: off, low, medium, high, xhigh or max")
		.option("--config <file>", "settings (default parley.config.json in the data directory)")
		.option("--auth <mode>", "who needs a token: local (other users, default), token (all), none (nobody)")
		.option("--sandbox <mode>", "what confines commands: required, preferred (default), off or container")
		.option("--tls-cert <file>", "the gateway's own certificate, in PEM form; --tls-key with it")
		.option("--tls-key <file>", "the certificate's private key")
		.option(
			"--trusted-proxy <address>",
			"a proxy in front of it, an IP address or a network; may be repeated",
			collect,
		)
		.option("--public-url <url>", "where clients reach it through the proxy: https://HOST")
		.option("--insecure-lan", "let other machines come without TLS and proxy, with the token in the clear")
		.option("--policy <file>", "rules about what tools may do (default policy.jsonc in the data directory)")
		.option("--log-level <level>", "debug, info (default), warn, error or silent")
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText(
			"after",
			"\nAll but --config can also be set in the file, and as PARLEY_LISTEN, PARLEY_DATA, and so on.\n" +
				"The key of a provider comes from the environment alone: ANTHROPIC_API_KEY.",
		);
}

function collect(value: string, values: readonly string[] = []): string[] {
	return [...values, value];
}
