import { updateNode } from "../distribution.ts";
import { type Check, fail, ok, warn } from "../finding.ts";

/** As package.json says. */
const leastNode = [24, 11] as const;

export const versions: Check = {
	id: "versions",
	async look({ versions: { parley, node, sqlite }, gateway, distribution }) {
		const [major = 0, minor = 0] = node.split(".").map(Number);
		if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1])) {
			const needed = `Node ${leastNode.join(".")} or later`;
			return fail(`Node ${node} runs, and ${needed} is needed`, updateNode(distribution));
		}
		if (gateway && gateway.version !== parley) {
			const what = `the gateway runs version ${gateway.version}, this command is ${parley}`;
			return warn(what, "parley stop && parley start");
		}
		return ok(`Parley ${parley}, Node ${node}, SQLite ${sqlite}`);
	},
};
