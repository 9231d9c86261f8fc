import type { ConfigFlags } from "@parley/gateway";
import { type Command, Option } from "commander";

/** Flags of the commands that run a gateway. */
export interface GatewayFlags extends Omit<ConfigFlags, "trustedProxies" | "policyFile"> {
	/** Value of `--policy`: the file. */
	readonly policy?: string;
	/** Values of `--trusted-proxy`. */
	readonly trustedProxy?: readonly string[];
	/** Failpoints for tests of crashes. */
	readonly testHooks?: string;
}

/** Adds the flags of commands that run a gateway. The configuration checks their values. */
export function addGatewayFlags(command: Command): Command {
	return command
		.option(
			"--listen <host:port>",
			"address to listen on; may be repeated (default: 127.0.0.1:7777)",
			collect,
		)
		.option("--data <dir>", "data directory for sessions and tokens")
		.option(
			"--root <dir>",
			"directory that tools may use; may be repeated (default: the current directory)",
			collect,
		)
		.option(
			"--provider <name>",
			"model provider: auto, anthropic, offline, openai, gemini or another one (default: auto, which is the first provider with a key)",
		)
		.option("--model <name>", "model of the provider: a name, or fast, standard, max")
		.option("--base-url <url>", "URL of another server for the Messages API")
		.option("--reasoning <level>", "reasoning level of models: off, low, medium, high, xhigh or max")
		.option("--config <file>", "configuration file (default: parley.config.json in the data directory)")
		.option("--auth <mode>", "clients that need a token: local (other users, default), token (all), none")
		.option("--sandbox <mode>", "sandbox for commands: required, preferred (default), off or container")
		.option("--tls-cert <file>", "TLS certificate of the gateway in PEM format; requires --tls-key")
		.option("--tls-key <file>", "private key of the certificate")
		.option(
			"--trusted-proxy <address>",
			"reverse proxy that is trusted: an IP address or a network; may be repeated",
			collect,
		)
		.option("--public-url <url>", "address of the gateway behind the proxy: https://HOST")
		.option("--insecure-lan", "allow other machines without TLS or proxy; tokens are sent unencrypted")
		.option("--policy <file>", "policy file (default: policy.jsonc in the data directory)")
		.option("--log-level <level>", "debug, info (default), warn, error or silent")
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText(
			"after",
			"\nYou can also set all flags except --config in the configuration file, and as\n" +
				"variables such as PARLEY_LISTEN. The key of a provider comes only from the\n" +
				"environment, for example ANTHROPIC_API_KEY or OPENAI_API_KEY.",
		);
}

function collect(value: string, values: readonly string[] = []): string[] {
	return [...values, value];
}
