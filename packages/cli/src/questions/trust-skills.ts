import type { Client, SkillPayload } from "@parley/protocol";
import type { AddressFlags } from "../client/gateway-address.ts";
import { withGateway } from "../client/with-gateway.ts";
import { confirms } from "../command-line/confirms.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { changeRows, skillTable } from "../tables/skill-and-memory-tables.ts";
import { visibleLine } from "../text/visible.ts";
import { trustSkillTexts } from "../texts/trust-skills.ts";

interface TrustFlags extends AddressFlags {
	readonly json?: boolean;
	readonly yes?: boolean;
}

/**
 * Trusts the skills of a working directory. Without `--yes`, the operator must first confirm the list if it is not
 * empty. Returns the exit code.
 */
export async function trustSkills(directory: string, flags: TrustFlags, io: Io): Promise<number> {
	const needsConfirmation = flags.yes !== true;
	if (needsConfirmation && !(io.stdin.isTTY && io.stderr.isTTY)) {
		throw new UsageError(noConfirmation);
	}
	return withGateway(flags, io, async (client) => {
		const { skills, problems, digest } = await client.request("list_skills", { directory });
		const own = skills.filter(({ trust }) => trust !== "operator");
		if (needsConfirmation && own.length > 0) {
			const rows = skillTable({ skills: own, problems }, outputFormat(io));
			const changes = await changesOf(own, directory, client);
			io.stderr.write([...rows, ...changes].map((row) => `${row}\n`).join(""));
			const question = trustSkillTexts.confirm({ directory: visibleLine(directory) });
			if (!(await confirms(`${question} `, io))) {
				io.stderr.write(`${trustSkillTexts.noneTrusted}\n`);
				return 1;
			}
		}
		const trusted = await client.request("trust_skills", { directory, digest });
		if (flags.json === true) printJson(trusted, io);
		else
			printRows(
				[trustSkillTexts.trusted({ names: trusted.skills.map(({ name }) => visibleLine(name)).join(", ") })],
				io,
			);
		return 0;
	});
}

/** Resolves with rows about the changes of skills since the skills were trusted. */
async function changesOf(
	skills: readonly SkillPayload[],
	directory: string,
	client: Client,
): Promise<string[]> {
	const rows: string[] = [];
	for (const { name, path } of skills.filter(({ trust }) => trust === "changed")) {
		const { changes } = await client.request("show_skill", { name, directory });
		rows.push("", trustSkillTexts.changed({ path: visibleLine(path) }), ...changeRows(changes));
	}
	return rows;
}
