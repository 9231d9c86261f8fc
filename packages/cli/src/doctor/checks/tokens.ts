import { type Check, fail, ok, warn } from "../finding.ts";

const soonMs = 7 * 24 * 60 * 60 * 1000;

/** The operator's own token, and those that were handed out. */
export const tokens: Check = {
	id: "tokens",
	async look({ operatorToken, gateway, tokens: list, now }) {
		try {
			if (!(await operatorToken())) return ok("none yet: the first start makes the operator's");
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			const [what = message, fix = "remove it: the next start makes another"] = message.split("; type: ");
			return fail(what, fix);
		}
		if (!gateway) return ok("the operator's token can be read by this user alone");
		const active = (await list()).filter(({ kind, status }) => kind !== "operator" && status === "active");
		const ending = active.filter(
			({ expires_at: end }) => end !== undefined && Date.parse(end) - now() < soonMs,
		);
		if (ending.length > 0) {
			const names = ending.map(({ name, expires_at }) => `${name} (${expires_at?.slice(0, 10)})`).join(", ");
			return warn(`these end within a week: ${names}`, "parley token rotate ID makes another in its place");
		}
		return ok(`the operator's token is private; handed out and active: ${active.length}`);
	},
};
