import { type Config, readOperatorToken } from "@parley/gateway";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { type GatewayOptions, TestGateway } from "./gateway.ts";

/** Returns the `actor` and `place` parameters for a user in a channel of the guild 111. */
export function as(user: string, channel = "general"): object {
	return { actor: { id: user, name: user }, place: { tenant: "111", channel } };
}

export interface DiscordConnector extends AsyncDisposable {
	readonly gateway: TestGateway;
	readonly operator: OzzieClient;
	readonly connector: OzzieClient;
	readonly token: string;
	connect(token: string): Promise<OzzieClient>;
}

/** Starts a gateway with a connector token for Discord. `people` maps Discord user ids to roles. */
export async function discordConnector(
	people: Readonly<Record<string, string>>,
	{ config, ...options }: GatewayOptions = {},
): Promise<DiscordConnector> {
	const auth: Partial<Config> = { auth: "token" };
	const gateway = await TestGateway.start({ ...options, config: { ...auth, ...config } });
	const connect = (token: string): Promise<OzzieClient> =>
		OzzieClient.connect(gateway.url, { headers: { authorization: `Bearer ${token}` } });
	const operator = await connect((await readOperatorToken(gateway.path("data"))) ?? "");
	const tokenRequest = { kind: "connector", name: "discord", platform: "discord", tenants: ["111"] };
	const { token } = await operator.call("create_token", tokenRequest);
	for (const [user, role] of Object.entries(people))
		await operator.call("set_person_role", { person: `discord:111:${user}`, role });
	const connector = await connect(String(token));
	return {
		...{ gateway, operator, connector, connect, token: String(token) },
		async [Symbol.asyncDispose]() {
			await connector.leave();
			await operator.leave();
			await gateway[Symbol.asyncDispose]();
		},
	};
}
