import { type Check, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Whether what the configuration says of chat platforms can come to pass. */
export const chat: Check = {
	id: "chat",
	async look(system) {
		const { config } = system;
		if (config instanceof Error) return ok("not known as long as the configuration is not valid");
		const { allow = [], tenants = {}, places = {} } = config.chat ?? {};
		const known = new Set(
			Object.entries(tenants).flatMap(([platform, ids]) => ids.map((id) => `${platform}:${id}`)),
		);
		const named = allow.flatMap(({ platform, tenant }) =>
			platform && tenant ? [`${platform}:${tenant}`] : [],
		);
		const lost = [...named, ...Object.keys(places).map(tenantOf)].find((one) => !known.has(one));
		if (lost !== undefined && (await connectorsOf(system)) === 0) {
			return warn(
				`${lost} is named, but no connector may speak for it`,
				`add it to chat.tenants in the configuration, or make a token: parley token create --kind connector`,
			);
		}
		return ok(
			known.size === 0 && named.length === 0
				? "nobody is let in by the configuration"
				: `${known.size} guilds and teams`,
		);
	},
};

function tenantOf(place: string): string {
	return place.split(":").slice(0, 2).join(":");
}

/** Connectors may bring tenants of their own, which only the gateway knows. */
async function connectorsOf({ gateway, tokens }: System): Promise<number> {
	if (!gateway) return 0;
	return (await tokens()).filter(({ kind, status }) => kind === "connector" && status === "active").length;
}
