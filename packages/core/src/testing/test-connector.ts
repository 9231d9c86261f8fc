import type { Principal, Role } from "../vocabulary/principal.ts";

export function testConnector(role: Role = "owner", id = "connector:discord"): Principal {
	const place = { platform: "discord", tenant: "guild", channel: "general", shared: false };
	const person = { id: "discord:guild:ada", name: "Ada", role, place };
	return { id, kind: "connector", platform: "discord", person };
}
