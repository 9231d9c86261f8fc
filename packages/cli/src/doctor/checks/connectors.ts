import { connectorFix, connectorWords } from "../../connectors/connector-words.ts";
import { type Check, fail, ok, warn } from "../finding.ts";

/** Whether the connectors work that were started on the data directory. */
export const connectors: Check = {
	id: "connectors",
	async look({ connectors: read, now }) {
		const standings = await read();
		if (standings.length === 0) return ok("none runs");
		const told = standings.map((one) => ({
			...{ state: one.state, what: `${one.platform} ${connectorWords(one, now())}`, fix: connectorFix(one) },
		}));
		const worst = told.find(({ state }) => state === "refused") ?? told.find(({ fix }) => fix !== undefined);
		if (worst?.fix === undefined) return ok(told.map(({ what }) => what).join("; "));
		return worst.state === "refused" ? fail(worst.what, worst.fix) : warn(worst.what, worst.fix);
	},
};
