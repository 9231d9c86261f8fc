import type { ConfigFlags } from "@parley/gateway";
import { type Command, Option } from "commander";
import { sharedHelp } from "../texts/commands/shared.ts";
import { gatewayFlagHelp } from "../texts/gateway/flags.ts";

/** Flags of commands that run or install a gateway. */
export interface GatewayFlags extends Omit<ConfigFlags, "trustedProxies" | "policyFile"> {
	readonly policy?: string;
	readonly trustedProxy?: readonly string[];
	/** Failpoints for crash tests. */
	readonly testHooks?: string;
}

/** Adds the flags of `GatewayFlags` to a command. The configuration checks their values. */
export function addGatewayFlags(command: Command): Command {
	return command
		.option("--listen <host:port>", gatewayFlagHelp.listen, collect)
		.option("--data <dir>", gatewayFlagHelp.data)
		.option("--root <dir>", gatewayFlagHelp.root, collect)
		.option("--provider <name>", gatewayFlagHelp.provider)
		.option("--model <name>", gatewayFlagHelp.model)
		.option("--base-url <url>", gatewayFlagHelp.baseUrl)
		.option("--reasoning <level>", gatewayFlagHelp.reasoning)
		.option("--config <file>", sharedHelp.config)
		.option("--auth <mode>", gatewayFlagHelp.auth)
		.option("--sandbox <mode>", gatewayFlagHelp.sandbox)
		.option("--tls-cert <file>", gatewayFlagHelp.tlsCert)
		.option("--tls-key <file>", gatewayFlagHelp.tlsKey)
		.option("--trusted-proxy <address>", gatewayFlagHelp.trustedProxy, collect)
		.option("--public-url <url>", gatewayFlagHelp.publicUrl)
		.option("--insecure-lan", gatewayFlagHelp.insecureLan)
		.option("--policy <file>", gatewayFlagHelp.policy)
		.option("--log-level <level>", sharedHelp.logLevel)
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", gatewayFlagHelp.notes);
}

function collect(value: string, values: readonly string[] = []): string[] {
	return [...values, value];
}
