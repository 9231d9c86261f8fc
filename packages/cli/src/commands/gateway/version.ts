import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import { printJson } from "../../command-line/output.ts";
import { installationKinds, versionHelp } from "../../texts/commands/gateway/version.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

/**
 * Creates `parley version`, which prints the versions that a problem report needs. `parley --version` prints only
 * Parley's version.
 */
export function versionCommand(io: Io, version: string): Command {
	return new Command("version")
		.description(versionHelp.description)
		.option("--json", sharedHelp.json)
		.action(async (flags: { readonly json?: boolean }) => {
			const { arch, release, type } = await import("node:os");
			const { findInstallation } = await import("../../installation/installation.ts");
			const node = process.versions.node;
			const system = `${type()} ${release()} ${arch()}`;
			const installation = findInstallation();
			const { kind, home } = installation;
			if (flags.json) return printJson({ parley: version, node, system, installation }, io);
			io.stdout.write(
				`parley ${version}\nNode.js ${node}\n${system}\n${home} (${installationKinds[kind]})\n`,
			);
		});
}
